"use strict";
// The values of a chart's points: under the pointer, or by arrow keys where the chart has the
// focus. A click on a point or on the name at a curve's end highlights the curve; another
// click, or Escape, ends that. Without this script, the picture and its table remain.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const REACH = 60; // pixels of the screen
  const style = document.createElement("style");
  style.textContent = `
    svg.chart text { cursor: default; }
    svg.chart:focus-visible { outline: 3px solid Highlight; }
    .chart-value { position: fixed; z-index: 9; pointer-events: none; max-width: 20rem; padding: .3rem .55rem; border: 1px solid;
      border-radius: .3rem; font-size: .85rem; line-height: 1.35; white-space: pre-line; background: Canvas; color: CanvasText; }
    .chart-value:empty { display: none; }
    svg.chart.chart-one > :is(polyline, polygon, circle) { opacity: .2; }
    @media print {
      .chart-value, .chart-ring, .chart-highlight { display: none; }
      svg.chart.chart-one > :is(polyline, polygon, circle) { opacity: 1; }
    }`;
  const box = document.createElement("div");
  box.className = "chart-value";
  box.setAttribute("role", "status");
  let shown = null; // the chart with a ring and a value

  const element = (name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    return made;
  };

  // The data of a chart: axes' names, and curves with points [x, y, three texts, bytes]; null is a gap.
  function data(svg) {
    if (svg.chart === undefined) {
      const text = svg.querySelector("metadata")?.textContent;
      svg.chart = text ? JSON.parse(text) : null;
    }
    return svg.chart;
  }

  function* points(svg) {
    for (const curve of data(svg)?.curves ?? []) {
      for (const point of curve.points) if (point) yield { curve, point };
    }
  }

  function nearest(svg, event) {
    const matrix = svg.getScreenCTM();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    let best = null, least = REACH / matrix.a;
    for (const one of points(svg)) {
      // The highlighted curve comes first.
      const weight = svg.highlighted && svg.highlighted !== one.curve ? 3 : 1;
      const distance = weight * Math.hypot(one.point[0] - at.x, one.point[1] - at.y);
      if (distance < least) [best, least] = [one, distance];
    }
    return best;
  }

  function show(svg, one) {
    hide();
    if (!one) return;
    const { x, y } = data(svg), { curve, point: [left, top, atX, value, spread] } = one;
    // Curves that coincide here are all named.
    const same = [...points(svg)].filter(({ point }) => point[0] === left && point[1] === top);
    const lines = [same.map(one => one.curve.name).join(", "), `${x}: ${atX}`, `${y}: ${value}${spread ? ` (${spread})` : ""}`];
    if (curve.source) lines.push(curve.source);
    box.textContent = lines.filter(line => line).join("\n");
    const matrix = svg.getScreenCTM();
    const at = new DOMPoint(left, top).matrixTransform(matrix);
    const { width, height } = box.getBoundingClientRect();
    box.style.left = `${Math.max(4, Math.min(at.x + 14, innerWidth - width - 4))}px`;
    box.style.top = `${at.y - height - 12 < 4 ? at.y + 14 : at.y - height - 12}px`;
    const ring = element("circle", { class: "chart-ring", cx: left, cy: top, r: 7 / matrix.a, fill: "none", stroke: curve.colour, "stroke-width": 2 / matrix.a });
    svg.append(ring);
    shown = svg;
    svg.current = one;
  }

  function hide() {
    box.textContent = "";
    shown?.querySelector(".chart-ring")?.remove();
    shown = null;
  }

  function highlight(svg, curve) {
    svg.querySelector("g.chart-highlight")?.remove();
    svg.highlighted = svg.highlighted === curve ? null : curve;
    svg.classList.toggle("chart-one", svg.highlighted !== null);
    if (!svg.highlighted) return;
    const group = element("g", { class: "chart-highlight", "pointer-events": "none" });
    let line = [];
    for (const point of [...curve.points, null]) {
      if (point) {
        line.push(`${point[0]},${point[1]}`);
        group.append(element("circle", { cx: point[0], cy: point[1], r: 14, fill: curve.colour }));
      } else {
        group.append(element("polyline", { points: line.join(" "), fill: "none", stroke: curve.colour, "stroke-width": 11 }));
        line = [];
      }
    }
    svg.append(group);
  }

  // Where an arrow key leads: along the curve, or to the next curve at the nearest place.
  function next(svg, key) {
    const curves = data(svg).curves.filter(curve => curve.points.some(point => point));
    const { curve, point } = svg.current ?? {};
    if (!curve) return { curve: curves[0], point: curves[0].points.find(point => point) };
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const own = curve.points.filter(point => point).sort((a, b) => a[0] - b[0]);
      return { curve, point: own[own.indexOf(point) + (key === "ArrowRight" ? 1 : -1)] ?? point };
    }
    const other = curves[curves.indexOf(curve) + (key === "ArrowUp" ? 1 : -1)] ?? curve;
    const away = at => Math.abs(at[0] - point[0]);
    return { curve: other, point: other.points.filter(point => point).reduce((a, b) => (away(b) < away(a) ? b : a)) };
  }

  const chartOf = event => {
    const svg = event.target.closest?.("svg.chart");
    return svg && data(svg) ? svg : null;
  };
  document.addEventListener("pointermove", event => {
    const svg = chartOf(event);
    if (svg) show(svg, nearest(svg, event));
    else if (shown && shown !== document.activeElement) hide();
  });
  document.addEventListener("click", event => {
    const svg = chartOf(event);
    if (!svg) return;
    const name = event.target.closest("text")?.textContent.trim();
    const named = name && data(svg).curves.find(curve => curve.name === name);
    const one = nearest(svg, event);
    show(svg, one);
    if (named ?? one?.curve) highlight(svg, named ?? one.curve);
  });
  document.addEventListener("keydown", event => {
    const svg = chartOf(event);
    if (!svg || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key.startsWith("Arrow")) show(svg, next(svg, event.key));
    else if (event.key === "Enter" && svg.current) highlight(svg, svg.current.curve);
    else if (event.key === "Escape") { hide(); if (svg.highlighted) highlight(svg, svg.highlighted); }
    else return;
    event.preventDefault();
  });
  document.addEventListener("focusout", event => { if (chartOf(event)) hide(); });
  addEventListener("scroll", hide, { capture: true, passive: true });

  const prepare = () => {
    for (const svg of document.querySelectorAll("svg.chart:not([tabindex])")) if (data(svg)) svg.setAttribute("tabindex", "0");
  };
  addEventListener("DOMContentLoaded", () => {
    document.head.append(style);
    document.body.append(box);
    prepare();
    new MutationObserver(prepare).observe(document.body, { childList: true, subtree: true });
  });
})();
