"""The page of the report: its style, its script and its frame. Everything is inline; nothing is fetched."""

REPORT_CSS = """
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paws-soft); color: var(--paws-fg); font: 15px/1.55 FONT; }
main, header { max-width: 1240px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 24px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 6px; overflow-wrap: anywhere; }
h2 { font-size: 20px; margin: 32px 0 12px; }
h3, h4 { font-size: 15px; margin: 0 0 6px; overflow-wrap: anywhere; }
section > h3 { font-size: 17px; margin: 22px 0 2px; }
p { max-width: 75em; }
a { color: var(--paws-c0); }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 8px 0 0; }
.lead, .note { color: var(--paws-muted); margin: 0 0 10px; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 560px), 1fr)); gap: 14px; }
.charts.beside { grid-template-columns: repeat(auto-fit, minmax(min(100%, 360px), 1fr)); }
.charts .paws-figure { margin: 0; }
.paws-chart svg[role=img] { width: 100%; max-width: 100%; }
.paws-area { fill-opacity: .16; }
.paws-outline { fill: none; stroke-width: 2; }
.paws-axis { stroke: var(--paws-muted); stroke-width: 1; fill: none; }
.paws-part { fill-opacity: .25; stroke-width: 1.5; }
.paws-inbar { font-size: 13px; }
.paws-key { display: inline-block; margin-right: 16px; }
.paws-figure svg.paws-swatch { display: inline; vertical-align: -1px; }
.card { background: var(--paws-bg); border: 1px solid var(--paws-rule); border-radius: 8px; margin-bottom: 14px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
caption { text-align: left; padding: 10px 12px; color: var(--paws-muted); }
th, td { padding: 8px 12px; text-align: left; vertical-align: top; border-top: 1px solid var(--paws-rule);
  overflow-wrap: anywhere; }
th { font-weight: 600; overflow-wrap: normal; }
thead th { border-top: 0; }
td.k { overflow-wrap: normal; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.n { white-space: normal; }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
th button::after { content: " \\2195"; color: var(--paws-muted); }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
.tools { display: flex; flex-wrap: wrap; gap: 8px 14px; padding: 12px; align-items: end; }
.tools label { display: flex; flex-direction: column; font-size: 13px; color: var(--paws-muted); }
.tools select, .tools input { font: 14px FONT; color: var(--paws-fg); background: var(--paws-bg); padding: 6px 8px;
  height: 36px;
  border: 1px solid var(--paws-muted); border-radius: 6px; max-width: 100%; min-width: 0; }
.tools output { font-size: 13px; color: var(--paws-muted); padding-bottom: 6px; }
button:focus-visible, summary:focus-visible, select:focus-visible, input:focus-visible, a:focus-visible
  { outline: 2px solid var(--paws-c0); outline-offset: 2px; }
td p { margin: 0 0 4px; }
td .meta { color: var(--paws-muted); font-size: 13px; }
summary { cursor: pointer; color: var(--paws-c0); }
details[open] summary { margin-bottom: 8px; }
.level-error { color: var(--paws-cross); font-weight: 600; }
tbody[hidden] { display: none; }
#examples { table-layout: fixed; }
#examples th:nth-child(1) { width: 100px; }
#examples th:nth-child(2) { width: 112px; }
#examples th.n { width: 80px; padding-left: 4px; overflow: hidden; text-overflow: ellipsis; }
#examples td:nth-child(2) { overflow-wrap: normal; }
#examples .drawings td { border-top: 0; padding-top: 0; }
footer { padding: 12px 0 32px; color: var(--paws-muted); font-size: 13px; }
@media (max-width: 820px) {
  main, header { padding: 0 12px; }
  header { padding-top: 16px; }
  h1 { font-size: 22px; }
  table.stack, .stack tbody, .stack tr, .stack td, .stack caption { display: block; width: 100%; }
  .stack thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stack tr { border-top: 1px solid var(--paws-rule); padding: 6px 0; display: grid;
    grid-template-columns: repeat(auto-fill, minmax(165px, 1fr)); }
  .stack td:not(.n) { grid-column: 1 / -1; }
  .stack .drawings, .stack tbody[hidden] tr { border: 0; padding: 0 0 6px; }
  .stack tbody[hidden] { display: none; }
  .stack td, .stack td.n { border: 0; padding: 2px 12px; text-align: left; white-space: normal; }
  .stack td[data-label]::before { content: attr(data-label) ": "; color: var(--paws-muted); }
  .tools label { flex: 1 1 130px; min-width: 0; }
  .tools label:has(#pick-tail), .tools label:has(#pick-sort), .tools label:has(#pick-text) { flex-basis: 100%; }
}
@media print { .tools, nav { display: none; } tbody[hidden] { display: table-row-group; } body { background: none; } }
"""

# No "<" and no "&" in it: then the page is read alike by parsers of HTML and of XML.
SCRIPT = """
(function () {
  var table = document.getElementById("examples");
  if (!table) { return; }
  var rows = Array.from(table.tBodies), picks = {}, heads = table.querySelectorAll("th[data-key]");
  ["tail", "corpus", "label", "sort", "text"].forEach(function (name) {
    picks[name] = document.getElementById("pick-" + name);
  });
  function has(row, name) {
    var wanted = picks[name].value;
    return wanted === "" ? true : (" " + row.dataset[name] + " ").indexOf(" " + wanted + " ") >= 0;
  }
  function show() {
    var text = picks.text.value.toLowerCase(), count = 0;
    rows.forEach(function (row) {
      var found = text === "" ? true : row.querySelector(".pair").textContent.toLowerCase().indexOf(text) >= 0;
      var seen = [has(row, "tail"), has(row, "corpus"), has(row, "label"), found].every(Boolean);
      row.hidden = !seen;
      if (seen) { count += 1; }
    });
    document.getElementById("shown").textContent = count + " of " + rows.length + " pairs";
  }
  function sort() {
    var parts = picks.sort.value.split(" "), key = parts[0], way = parts[1] === "down" ? -1 : 1;
    rows.sort(function (a, b) {
      var x = a.getAttribute("data-" + key), y = b.getAttribute("data-" + key);
      var order = key === "corpus" || key === "label" ? x.localeCompare(y) : x - y;
      return way * order || a.dataset.place - b.dataset.place;
    });
    rows.forEach(function (row) { table.appendChild(row); });
    heads.forEach(function (head) {
      head.setAttribute("aria-sort", head.dataset.key !== key ? "none" : way === 1 ? "ascending" : "descending");
    });
  }
  picks.tail.addEventListener("change", function () {
    var order = picks.tail.selectedOptions[0].getAttribute("data-sort");
    if (order) { picks.sort.value = order; sort(); }
  });
  ["tail", "corpus", "label"].forEach(function (name) { picks[name].addEventListener("change", show); });
  picks.text.addEventListener("input", show);
  picks.sort.addEventListener("change", sort);
  heads.forEach(function (head) {
    head.querySelector("button").addEventListener("click", function () {
      var key = head.dataset.key;
      picks.sort.value = key + (picks.sort.value === key + " up" ? " down" : " up");
      sort();
    });
  });
  document.getElementById("tools").hidden = false;
  picks.tail.selectedIndex = 1;
  picks.tail.dispatchEvent(new Event("change"));
}());
"""

REPORT_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="generator" content="paws-components {version}" />
<title>{title}</title>
<style>{css}</style>
</head>
<body class="paws-page">
<header>
<h1>{title}</h1>
<p class="lead">{lead}</p>
<nav aria-label="Sections">{nav}</nav>
</header>
<main>
{body}
<footer>{footer}</footer>
</main>
<script>{script}</script>
</body>
</html>
"""
