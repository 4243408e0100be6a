// The zone editor: clicks on the drawn map set corners; a circle follows its radius.
// The text field is what the form submits; without scripts it is edited directly.
const editor = document.querySelector("[data-zone-editor]");
const map = editor.querySelector("[data-map]");
const draft = editor.querySelector("[data-draft]");
const corners = editor.querySelector('[name="corners"]');
const radius = editor.querySelector('[name="radius"]');
const SVG = "http://www.w3.org/2000/svg";
const DEGREE_M = (Math.PI / 180) * 6371008.8;

const kind = () => editor.querySelector('[name="kind"]:checked')?.value;
const number = (name) => Number(map.dataset[name]);

function read() {
  return corners.value.split("\n").map((line) => line.trim().match(/^\(?(-?[\d.]+)\s*[,;\s]\s*(-?[\d.]+)\)?$/))
    .filter(Boolean).map(([, latitude, longitude]) => [Number(latitude), Number(longitude)]);
}

const write = (points) => {
  corners.value = points.map(([latitude, longitude]) => `${latitude.toFixed(6)}, ${longitude.toFixed(6)}`).join("\n");
  show();
};

const middle = { x: map ? map.viewBox.baseVal.width / 2 : 0, y: map ? map.viewBox.baseVal.height / 2 : 0 };

const onMap = ([latitude, longitude]) => [
  middle.x + (longitude - number("longitude")) * number("narrow") * number("degree"),
  middle.y - (latitude - number("latitude")) * number("degree"),
];

function onEarth(event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(map.getScreenCTM().inverse());
  return [
    number("latitude") - (point.y - middle.y) / number("degree"),
    number("longitude") + (point.x - middle.x) / number("degree") / number("narrow"),
  ];
}

function svgElement(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function show() {
  for (const box of editor.querySelectorAll("[data-only]")) box.hidden = box.dataset.only !== kind();
  if (!map) return;
  const polygon = kind() === "polygon";
  map.toggleAttribute("data-off", !polygon);
  editor.querySelector("[data-map-hint]").hidden = !polygon;
  for (const button of editor.querySelectorAll("[data-undo], [data-clear]")) button.hidden = !polygon;
  if (polygon) {
    const points = read().map(onMap);
    draft.replaceChildren(
      svgElement("polygon", { class: "draft-shape", points: points.map((point) => point.join(",")).join(" ") }),
      ...points.map(([cx, cy]) => svgElement("circle", { class: "draft-corner", cx, cy, r: 5 })),
    );
  } else {
    const metres = Number(radius.value.replace(",", ".")) * 1000 || 0;
    draft.replaceChildren(svgElement("circle", { class: "draft-shape", cx: middle.x, cy: middle.y, r: (metres / DEGREE_M) * number("degree") }));
  }
}

function zoom(by) {
  const box = map.viewBox.baseVal;
  const width = Math.min(Math.max(box.width * by, 80), 5120);
  const height = (width * box.height) / box.width;
  map.setAttribute("viewBox", `${middle.x - width / 2} ${middle.y - height / 2} ${width} ${height}`);
}

editor.addEventListener("change", show);
editor.addEventListener("input", show);
if (map) {
  editor.querySelector("[data-map-tools]").hidden = false;
  map.addEventListener("click", (event) => {
    if (kind() === "polygon") write([...read(), onEarth(event)]);
  });
  editor.querySelector("[data-undo]").addEventListener("click", () => write(read().slice(0, -1)));
  editor.querySelector("[data-clear]").addEventListener("click", () => write([]));
  for (const button of editor.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => zoom(Number(button.dataset.zoom)));
}
show();
