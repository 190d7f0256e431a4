# What scripts/install does, for who types make: make install PREFIX=/usr DESTDIR=/tmp/package
PREFIX ?= /usr/local
export PREFIX DESTDIR TAGS VERSION MPICC

all:
	@echo 'make install builds and installs below PREFIX=$(PREFIX); make uninstall removes that'

install uninstall:
	@scripts/install $@

.PHONY: all install uninstall
