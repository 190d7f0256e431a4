/* HDF5: an error handler and property lists over barriers, and a file of each process.
 * options: -I/usr/include/hdf5/serial
 * link: -L/usr/lib/x86_64-linux-gnu/hdf5/serial -L/usr/lib/aarch64-linux-gnu/hdf5/serial -lhdf5 */
#include <bsp.h>
#include <hdf5.h>
#include <unistd.h>

int main(void) {
	bsp_begin(bsp_nprocs());
	H5Eset_auto2(H5E_DEFAULT, 0, 0);
	hid_t space, list = H5Pcreate(H5P_DATASET_CREATE);
	hsize_t length = 100;
	int fill = 7 * bsp_pid(), got = -1, data[100];
	H5Pset_fill_value(list, H5T_NATIVE_INT, &fill);
	space = H5Screate_simple(1, &length, 0);
	for (int i = 0; i < 10; i++) {
		bsp_sync();
		H5Pget_fill_value(list, H5T_NATIVE_INT, &got);
		if (got != fill || H5Sget_simple_extent_npoints(space) != 100)
			bsp_abort("fill value %d", got);
	}
	char name[100];
	snprintf(name, sizeof name, "/tmp/migbsp_suite_%d_%d.h5", (int)getpid(), bsp_pid());
	hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	hid_t set = H5Dcreate2(file, "numbers", H5T_NATIVE_INT, space, H5P_DEFAULT, list, H5P_DEFAULT);
	bsp_sync();
	for (int i = 0; i < 100; i++)
		data[i] = i * fill;
	H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
	bsp_sync();
	memset(data, 0, sizeof data);
	H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
	for (int i = 0; i < 100; i++)
		if (data[i] != i * fill)
			bsp_abort("element %d is %d", i, data[i]);
	H5Dclose(set);
	H5Fclose(file);
	unlink(name);
	bsp_sync();
	H5Sclose(space);
	H5Pclose(list);
	H5close();
	bsp_sync();
	if (bsp_pid() == 0)
		puts("all is right");
	bsp_end();
	return 0;
}
