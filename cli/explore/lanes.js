"use strict";
// What the engine did: a lane for each thread, stream and device, its kernels in time.

const MOST_MARKS = 4000;

function showLanes(model, place, select) {
  const {engine} = model.data;
  if (!engine) {
    place.replaceChildren(html("p", {}, "The engine has not run this step."));
    return;
  }
  const lines = [html("p", {}, data(engine.about, 400))];
  for (const note of engine.notes) lines.push(html("p", {}, data(note, 400)));
  const end = Math.max(1, ...engine.lanes.flatMap((lane) => lane.events.map(([,, at, took]) => at + took)));
  const width = 900, height = 26;
  for (const lane of engine.lanes) {
    // Where there are too many to be seen, the longest.
    const events = lane.events.length <= MOST_MARKS ? lane.events
      : [...lane.events].sort((a, b) => b[3] - a[3]).slice(0, MOST_MARKS);
    const left = lane.events.length - events.length;
    lines.push(html("h4", {}, data(lane.name), ` ${lane.events.length.toLocaleString("en")} kernels` +
      (left > 0 ? `, the longest ${MOST_MARKS.toLocaleString("en")} drawn` : "")));
    const picture = svg("svg", {class: "lane", viewBox: `0 0 ${width} ${height}`, width: "100%", height,
                                preserveAspectRatio: "none", role: "img", "aria-label": `lane ${lane.name}`});
    for (const [node, tag, at, took] of events) {
      const mark = svg("rect", {x: at / end * width, y: 2, height: height - 4,
                                width: Math.max(0.6, took / end * width), fill: colour(node)}, picture);
      const name = node < 0 ? "transfer" : model.nodes[node].name;
      svg("title", {}, mark).textContent = `${shorten(name, 120)} ${shorten(tag, 60)}: ${took.toFixed(2)} us`;
      if (node >= 0) mark.addEventListener("click", () => select(node));
    }
    lines.push(picture);
  }
  lines.push(html("p", {class: "axis"}, html("span", {}, "0"), html("span", {}, `${end.toFixed(1)} us`)));
  place.replaceChildren(...lines);
}

// Of each node its own, and the same every time.
function colour(node) {
  return node < 0 ? "#888" : `hsl(${(node * 137.5) % 360} 55% 55%)`;
}
