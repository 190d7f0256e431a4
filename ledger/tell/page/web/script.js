"use strict";
// The page is complete without this. It adds sorting, pointing at charts,
// choosing a call, copying and saving.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));

  // element makes an element with properties and children.
  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  // Sorting: each heading becomes a button.
  function value(cell) {
    const number = cell.dataset.v;
    return number === undefined ? null : Number(number);
  }

  function compare(a, b) {
    const x = value(a), y = value(b);
    if (x !== null && y !== null) return x - y;
    if (x !== null || y !== null) return x === null ? -1 : 1;
    return a.textContent.localeCompare(b.textContent, "en", { numeric: true });
  }

  function sort(table, heading) {
    const column = heading.cellIndex;
    const up = heading.getAttribute("aria-sort") !== "ascending";
    all("thead th", table).forEach((th) => th.setAttribute("aria-sort", "none"));
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    rows.sort((a, b) => (up ? 1 : -1) * compare(a.cells[column], b.cells[column]));
    body.append(...rows);
  }

  for (const table of all("table.sortable")) {
    for (const heading of all("thead th", table)) {
      const button = element("button", { type: "button", textContent: heading.textContent });
      button.addEventListener("click", () => sort(table, heading));
      heading.replaceChildren(button);
      heading.setAttribute("aria-sort", "none");
    }
  }

  // Times with three digits and a unit.
  function seconds(s) {
    for (const [unit, size] of [["s", 1], ["ms", 1e-3], ["us", 1e-6]]) {
      if (s >= 0.9995 * size) return Number((s / size).toPrecision(3)) + " " + unit;
    }
    return Math.round(s * 1e9) + " ns";
  }

  // Pointing: a line below a chart over supersteps says what is under the pointer, the
  // finger, or the cell that the arrow keys have gone to.
  const left = 112, right = 948;
  const shape = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);

  function place(node, attributes) {
    for (const name in attributes) node.setAttribute(name, attributes[name]);
  }

  function probe(figure, rows, say) {
    const charts = figure ? all("svg[data-course]", figure) : [];
    if (!charts.length || !data.course.length || (rows && !rows.length)) return;
    const width = (right - left) / data.course.length;
    const output = element("output", { textContent: "Point at the chart, or use the arrow keys on it." });
    figure.append(element("div", { className: "probe" }, output));
    let i = -1, r = 0;

    function show(svg, mark) {
      const x = left + i * width;
      if (rows) place(mark, { x: x - 1, y: rows[r].y - 1, width: Math.max(2, width) + 2, height: rows[r].h + 2 });
      else place(mark, { d: `M${x + width / 2} 0V${svg.viewBox.baseVal.height - 34}` });
      svg.append(mark);
      output.textContent = say(i, r);
    }

    for (const svg of charts) {
      const mark = shape(rows ? "rect" : "path");
      mark.setAttribute("class", rows ? "cell" : "cursor");
      function point(event) {
        const box = svg.getBoundingClientRect();
        const scale = svg.viewBox.baseVal.width / box.width;
        const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
        const at = rows ? rows.findIndex((b) => y >= b.y && y < b.y + b.h) : 0;
        if (x < left || x >= right || at < 0) return;
        i = Math.floor((x - left) / width);
        r = at;
        show(svg, mark);
      }
      svg.addEventListener("pointermove", point);
      svg.addEventListener("pointerdown", point);
      svg.closest(".wide").addEventListener("keydown", (event) => {
        const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        if (!by || (by[1] && !rows)) return;
        event.preventDefault();
        i = Math.max(0, Math.min(data.course.length - 1, i + by[0]));
        if (rows) r = Math.max(0, Math.min(rows.length - 1, r + by[1]));
        show(svg, mark);
      });
    }
  }

  const steps = (c) => (c[0] === c[1] ? `superstep ${c[0]}` : `supersteps ${c[0]} to ${c[1]}`);

  function timelineWords(i) {
    const c = data.course[i], n = c[2];
    let text = `${steps(c)}, ${data.sites[c[3]]}: longest ${seconds(c[4] / n)}, mean ${seconds(c[5] / n)}, shortest ${seconds(c[6] / n)}`;
    if (c[9] >= 0) text += `; slowest ${data.ranks[c[9]]}`;
    if (c[10]) text += `; ${c[10] === 1 ? "a call" : c[10] + " calls"} after it, ${c[11]} moved`;
    return text;
  }

  function heatWords(levels, i, r) {
    const c = data.course[i];
    const level = levels.charCodeAt(r * data.course.length + i);
    const where = `${data.heat.rows[r].name}, ${steps(c)}`;
    if (level === 255) return `${where}: no rank worked`;
    const part = level < 200 ? level / 50 : 4 * Math.pow(1.05, level - 200);
    return `${where}: about ${part.toFixed(2)} of the mean, ${seconds(part * c[5] / c[2])} per superstep`;
  }

  function wayWords(i, r) {
    const way = data.mapping.ways[r], c = data.course[i];
    const rank = way.ranks[way.steps.filter((s) => s < c[0]).length];
    return `${data.mapping.rows[r].name} in ${steps(c)}: ${data.ranks[rank]}`;
  }

  if (data.course) {
    const levels = atob(data.heat.levels || "");
    probe(document.getElementById("figure-timeline"), null, timelineWords);
    probe(document.getElementById("figure-heat"), data.heat.rows, (i, r) => heatWords(levels, i, r));
    probe(document.getElementById("figure-mapping"), data.mapping.rows, wayWords);
  }

  // Choosing a call: one is shown at a time.
  const calls = all("details.call");
  const chooser = document.getElementById("choose-call");

  function choose(id) {
    if (!calls.some((c) => c.id === id)) return;
    for (const c of calls) {
      c.hidden = c.id !== id;
      c.open = c.id === id;
    }
    chooser.value = id;
  }

  if (chooser) {
    for (const c of calls) chooser.append(element("option", { value: c.id, textContent: c.querySelector("summary").textContent.replace("Call ", "") }));
    chooser.closest(".choose").hidden = false;
    chooser.addEventListener("change", () => choose(chooser.value));
    addEventListener("hashchange", () => choose(location.hash.slice(1)));
    choose((calls.find((c) => c.open) || calls[0]).id);
    choose(location.hash.slice(1));
  }

  // Copying and saving.
  for (const box of all(".command")) {
    const button = box.querySelector("button"), code = box.querySelector("code");
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "Selected";
      }
    });
  }

  function save(name, type, text) {
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function courseCSV() {
    const quote = (s) => `"${s.replaceAll('"', '""')}"`;
    const lines = data.course.map((c) => c.map((x, i) => (data.columns[i] === "site" ? quote(data.sites[x]) : x)).join(","));
    return [data.columns.join(","), ...lines].join("\r\n") + "\r\n";
  }

  function saver(id, action) {
    const button = document.getElementById(id);
    if (button) button.addEventListener("click", action);
  }
  all(".save").forEach((p) => { p.hidden = false; });
  saver("save-figures", () => save("figures.json", "application/json", JSON.stringify(data.summary ? data.summary : data, null, 2)));
  saver("save-course", () => save("timeline.csv", "text/csv", courseCSV()));
})();
