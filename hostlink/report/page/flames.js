// SPDX-License-Identifier: MIT
// Flame graphs, the root on top: the width of a box is its amount, including its children.

const FLAME = 18;

// All graphs of a kind become one, with a root of their own.
function joinGraphs(of) {
  const graphs = data.flames.filter((graph) => graph.of === of);
  const root = {name: 'all', own: 0, total: 0, children: new Map(), parent: null, depth: 0};
  let leftOut = 0;
  for (const graph of graphs) {
    const nodes = [];
    leftOut += graph.left_out;
    for (const [parent, name, amount] of graph.nodes) {
      const above = parent < 0 ? root : nodes[parent];
      const text = nameOf(name);
      if (!above.children.has(text)) above.children.set(text, {name: text, own: 0, total: 0, children: new Map(), parent: above, depth: above.depth + 1});
      const node = above.children.get(text);
      node.own += amount;
      nodes.push(node);
    }
  }
  const order = [root];
  for (let i = 0; i < order.length; i++) order.push(...order[i].children.values());
  let deepest = 0;
  for (const node of order.reverse()) {
    node.total += node.own;
    if (node.parent) node.parent.total += node.total;
    deepest = Math.max(deepest, node.depth);
  }
  return {root, deepest, leftOut};
}

// The children of a box, the largest first.
function sorted(node) {
  return [...node.children.values()].sort((a, b) => b.total - a.total);
}

class Flame {
  constructor(of, show) {
    this.show = show;
    Object.assign(this, joinGraphs(of));
    this.focus = this.root;
    this.boxes = [];
    this.canvas = chart('flame', (view) => this.draw(view));
    this.canvas.style.height = `${Math.min(60, this.deepest + 1) * FLAME + 2}px`;
    this.canvas.addEventListener('pointermove', (event) => {
      const box = this.boxAt(event);
      showTip(event, box ? [box.node.name, `${show(box.node.total)}, ${formatPercent(100 * box.node.total / this.root.total)} of all`,
        `${show(box.node.own)} itself`] : null);
    });
    this.canvas.addEventListener('pointerleave', () => showTip(null, null));
    this.canvas.addEventListener('click', (event) => this.go(this.boxAt(event)?.node || this.root));
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('aria-label', `Flame graph of ${of}. Arrows go to the callee, the caller and what is beside, Home to all.`);
    const find = element('input', {type: 'search', class: 'filter', placeholder: 'Search', 'aria-label': `Search the flame graph of ${of}`, on: {input: () => {
      this.wanted = find.value.toLowerCase();
      this.draw(openCanvas(this.canvas));
    }}});
    this.found = element('span', {class: 'muted', role: 'status'});
    this.node = element('div', {class: 'flamebox', 'data-flame': of}, element('div', {class: 'tools'}, find, this.found,
      button('All', 'Back to the whole graph', () => this.go(this.root))), this.canvas,
    this.leftOut > 0 ? element('p', {class: 'muted small', text: `${formatCount(this.leftOut)} boxes below 1/4000 of their graph count for what they are in.`}) : null);
  }

  go(node) {
    this.focus = node;
    this.draw(openCanvas(this.canvas));
  }

  key(event) {
    const {parent} = this.focus;
    const beside = parent ? sorted(parent) : [];
    const at = beside.indexOf(this.focus);
    const to = {ArrowUp: parent, ArrowDown: sorted(this.focus)[0], ArrowLeft: beside[at - 1], ArrowRight: beside[at + 1], Home: this.root}[event.key];
    if (!to) return;
    event.preventDefault();
    this.go(to);
  }

  boxAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    return this.boxes.find((one) => x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + FLAME);
  }

  draw({context, width}) {
    this.context = context;
    this.boxes = [];
    let above = this.focus;
    while (above) { // what it is in, over the whole width
      this.box(above, 0, width, above !== this.focus);
      above = above.parent;
    }
    this.children(this.focus, 0, width);
    const amount = (node) => (node.parent && node.name.toLowerCase().includes(this.wanted) ? node.total
      : [...node.children.values()].reduce((sum, child) => sum + amount(child), 0));
    this.found.textContent = this.wanted ? `${formatPercent(100 * amount(this.root) / Math.max(1, this.root.total))} of all`
      : this.focus.parent ? `${shorten(this.focus.name, 80)}: ${this.show(this.focus.total)}, ${this.show(this.focus.own)} itself` : '';
  }

  children(node, x, width) {
    for (const child of sorted(node)) {
      const wide = width * child.total / Math.max(1, node.total);
      if (wide >= 0.5) {
        this.box(child, x, wide, false);
        this.children(child, x, wide);
      }
      x += wide;
    }
  }

  box(node, x, width, faint) {
    const {context} = this;
    const y = node.depth * FLAME;
    this.boxes.push({node, x, y, width});
    const dims = this.wanted && !node.name.toLowerCase().includes(this.wanted);
    context.globalAlpha = faint ? 0.5 : dims ? 0.25 : 1;
    context.fillStyle = node.parent ? colorOf(node.name) : colors.line;
    context.fillRect(x, y, Math.max(0.5, width - 0.5), FLAME - 1);
    context.fillStyle = colors.ink;
    if (width > 24) fitText(context, width > 140 ? `${shorten(node.name, 80)}  ${this.show(node.total)}` : shorten(node.name, 80), x, y + FLAME / 2, width);
    context.globalAlpha = 1;
  }
}
