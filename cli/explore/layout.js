"use strict";
// Where boxes go: in layers from top to bottom, each below what it reads, nested boxes first.

const NODE_HEIGHT = 34, GAP_X = 14, GAP_Y = 26, PADDING = 14, TITLE = 22;

// Sets x, y, width, height of each item that is on the page, relative to the page; returns the edges
// between them: [{from, to, edges: [[node, output, reader]]}].
function layOut(model, root, measure) {
  const boxes = new Map();  // item -> box; items are Groups and ids of nodes
  place(root, boxes, measure);
  settle(root, boxes, 0, 0);
  return {boxes, edges: edgesBetween(model, root)};
}

function place(group, boxes, measure) {
  for (const child of group.children) {
    if (child instanceof Group && child.isOpen) {
      place(child, boxes, measure);
    } else {
      boxes.set(keyOf(child), {width: measure(child), height: NODE_HEIGHT});
    }
  }
  const layers = group.layers ??= layersOf(group);
  let y = PADDING + TITLE, widest = 0;
  for (const layer of layers) {
    let x = PADDING, tallest = 0;
    for (const item of layer) {
      const box = boxes.get(item);
      box.x = x;
      box.y = y;
      x += box.width + GAP_X;
      tallest = Math.max(tallest, box.height);
    }
    layer.width = x - GAP_X + PADDING;
    widest = Math.max(widest, layer.width);
    y += tallest + GAP_Y;
  }
  for (const layer of layers) {
    const shift = (widest - layer.width) / 2;
    for (const item of layer) boxes.get(item).x += shift;
  }
  const title = measure(group) + 2 * PADDING;
  boxes.set(group, {width: Math.max(widest, title), height: y - GAP_Y + PADDING});
}

// From places in the box around to places on the page.
function settle(group, boxes, x, y) {
  const own = boxes.get(group);
  own.x ??= 0;
  own.y ??= 0;
  own.x += x;
  own.y += y;
  for (const child of group.children) {
    if (child instanceof Group && child.isOpen) {
      settle(child, boxes, own.x, own.y);
    } else {
      const box = boxes.get(keyOf(child));
      box.x += own.x;
      box.y += own.y;
    }
  }
}

// The children in layers, each below those that it reads. It hangs on the graph alone, and so is
// kept.
function layersOf(group) {
  const items = group.children.map(keyOf);
  const index = new Map(items.map((item, i) => [item, i]));
  const below = items.map((item) => new Set(
    [...group.links.get(item)?.values() ?? []].filter(({isForward}) => isForward)
      .map(({from}) => index.get(from))));
  const rank = ranks(below);
  const layers = [];
  items.forEach((item, i) => (layers[rank[i]] ??= []).push(i));
  order(layers, below, rank);
  return layers.map((layer) => layer.map((i) => items[i]));
}

// The longest way from a source; a box that reads from what reads from it stays where it is first met.
function ranks(below) {
  const rank = below.map(() => -1);
  const onWay = new Set();
  const visit = (start) => {
    const stack = [[start, [...below[start]]]];
    onWay.add(start);
    while (stack.length > 0) {
      const [item, rest] = stack[stack.length - 1];
      const next = rest.pop();
      if (next === undefined) {
        const sources = [...below[item]].filter((from) => rank[from] >= 0);
        rank[item] = Math.max(-1, ...sources.map((from) => rank[from])) + 1;
        onWay.delete(item);
        stack.pop();
      } else if (rank[next] < 0 && !onWay.has(next)) {
        onWay.add(next);
        stack.push([next, [...below[next]]]);
      }
    }
  };
  below.forEach((_, i) => { if (rank[i] < 0) visit(i); });
  return rank;
}

// Puts each item near those it reads, and those that read it: fewer edges cross.
function order(layers, below, rank) {
  const above = below.map(() => []);
  below.forEach((sources, i) => sources.forEach((from) => above[from].push(i)));
  const at = new Map();
  const number = (layer) => layer.forEach((item, i) => at.set(item, i / Math.max(1, layer.length)));
  layers.forEach(number);
  const sweep = (layer, near) => {
    const mean = (item) => {
      const places = near(item).map((other) => at.get(other));
      return places.length === 0 ? at.get(item) : places.reduce((a, b) => a + b, 0) / places.length;
    };
    const means = new Map(layer.map((item) => [item, mean(item)]));
    layer.sort((a, b) => means.get(a) - means.get(b));
    number(layer);
  };
  for (let round = 0; round < 3; ++round) {
    layers.forEach((layer) => sweep(layer, (item) => [...below[item]]));
    for (const layer of [...layers].reverse()) sweep(layer, (item) => above[item]);
  }
}

// Between two closed boxes of an open one the edges are known; between what is in open boxes they are
// looked at one by one.
function edgesBetween(model, root) {
  const edges = [], links = new Map();
  const isOpen = (item) => item instanceof Group && item.isOpen;
  const visit = (group) => {
    for (const bySource of group.links.values()) {
      for (const link of bySource.values()) {
        if (!isOpen(link.from) && !isOpen(link.to)) edges.push(link);
        else for (const edge of link.edges) {
          addEdge(model, links, visibleOf(root, edge[0]), visibleOf(root, edge[2]), edge);
        }
      }
    }
    for (const child of group.children) if (isOpen(child)) visit(child);
  };
  visit(root);
  for (const bySource of links.values()) edges.push(...bySource.values());
  return edges;
}
