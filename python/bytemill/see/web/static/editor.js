// The text. A long one is kept here, and the text area holds a part of it: a browser's own text area gets slow.
import { say } from "./parts.js";

const WHOLE = 8000; // characters up to which the text area holds all of the text
const PART = 4000;
const PAUSE = 60; // milliseconds without a key before the server is asked
const LONG_PAUSE = 400; // the same for a long text

export class Editor {
  constructor() {
    this.doc = "";
    this.from = 0;
    this.to = 0;
    this.onchange = () => {};
    this.area = document.getElementById("text");
    this.area.addEventListener("input", () => this.typed());
    document.getElementById("specials").addEventListener("change", () => this.onchange());
    document.getElementById("earlier").addEventListener("click", () => this.turn(this.from - PART));
    document.getElementById("later").addEventListener("click", () => this.turn(this.to));
    document.getElementById("file").addEventListener("change", (event) => this.open(event.target.files[0]));
    this.area.addEventListener("paste", (event) => this.pasted(event));
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) this.open(event.dataTransfer.files[0]);
    });
  }

  specials() {
    return document.getElementById("specials").checked;
  }

  // The part of the text that is in view.
  part() {
    return this.doc.slice(this.from, this.to);
  }

  set(text) {
    this.doc = text;
    this.turn(0);
  }

  async open(file) {
    if (!file) return;
    this.set(await file.text());
    say(`${file.name}: ${this.doc.length.toLocaleString("en")} characters`);
  }

  typed() {
    this.doc = this.doc.slice(0, this.from) + this.area.value + this.doc.slice(this.to);
    this.to = this.from + this.area.value.length;
    if (this.doc.length > WHOLE && this.area.value.length > 2 * PART) this.turn(this.from);
    else this.showPlace();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.onchange(), this.doc.length > WHOLE ? LONG_PAUSE : PAUSE);
  }

  // A large paste does not go through the text area at all.
  pasted(event) {
    const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n");
    if (text.length <= WHOLE) return;
    event.preventDefault();
    const start = this.from + this.area.selectionStart;
    this.doc = this.doc.slice(0, start) + text + this.doc.slice(this.from + this.area.selectionEnd);
    this.turn(start);
  }

  turn(from) {
    const whole = this.doc.length <= WHOLE;
    this.from = whole ? 0 : onBorder(this.doc, Math.max(0, Math.min(from, this.doc.length - 1)));
    this.to = whole ? this.doc.length : onBorder(this.doc, Math.min(this.doc.length, this.from + PART));
    this.area.value = this.part();
    this.area.setSelectionRange(0, 0);
    this.showPlace();
    this.onchange();
  }

  showPlace() {
    const number = (value) => value.toLocaleString("en");
    document.getElementById("pages").hidden = this.from === 0 && this.to === this.doc.length;
    document.getElementById("where").textContent =
      `characters ${number(this.from)} to ${number(this.to)} of ${number(this.doc.length)}`;
    document.getElementById("earlier").disabled = this.from === 0;
    document.getElementById("later").disabled = this.to === this.doc.length;
  }
}

// Not between the halves of a surrogate pair.
function onBorder(text, place) {
  const unit = text.charCodeAt(place);
  return unit >= 0xdc00 && unit < 0xe000 && place > 0 ? place - 1 : place;
}
