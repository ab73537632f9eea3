// Tokens of every tokenizer side by side, and how one of them was made.
import { ask, chip, element, latest, replaceWith, say } from "./parts.js";
import { Detail } from "./detail.js";

const SPECIAL = 1, UNKNOWN = 2, PARTIAL = 4, DIFFERS = 8;
const AT_ONCE = 300; // chips

export class TokensView {
  constructor(editor) {
    this.editor = editor;
    this.detail = new Detail(editor);
    this.refresh = latest((isLast) => this.load(isLast));
    document.getElementById("price").addEventListener("input", () => this.refresh());
  }

  async load(isLast) {
    const { doc, from, to } = this.editor;
    const rows = await ask("tokens", { text: doc, from, to, specials: this.editor.specials() });
    if (!isLast()) return;
    replaceWith(document.getElementById("models"), rows.map((row) => this.card(row, rows[0])));
  }

  card(row, first) {
    const card = element("section", { class: "model-card", ariaLabel: row.name }, element("h2", {}, row.name));
    if (row.error) {
      card.append(element("p", { class: "refused" }, row.error));
      return card;
    }
    card.append(element("p", { class: "soft counts" }, this.numbers(row, first)), this.tokens(row));
    if (row.left_out) card.append(element("p", { class: "soft" }, `${row.left_out} more tokens in view are left out`));
    return card;
  }

  numbers(row, first) {
    const price = Number(document.getElementById("price").value);
    const parts = [
      `${row.count.toLocaleString("en")} tokens`,
      `${row.bytes.toLocaleString("en")} bytes`,
      `${row.bytes_per_token.toFixed(2)} bytes/token`,
    ];
    if (row !== first && first.count) parts.push(`${((100 * row.count) / first.count).toFixed(0)}% of the first`);
    if (price > 0) parts.push(`costs ${((price * row.count) / 1e6).toFixed(6)}`);
    return parts.join(", ");
  }

  // Chips are made as they are scrolled to: thousands at once would hold up the keys.
  tokens(row) {
    const box = element("div", { class: "tokens", role: "listbox", ariaLabel: `Tokens of ${row.name}`, dir: "ltr" });
    let made = 0;
    const more = () => {
      const until = Math.min(made + AT_ONCE, row.tokens.length);
      for (; made < until; made++) box.append(...this.chips(row.tokens[made], made));
    };
    more();
    box.addEventListener("scroll", () => {
      if (box.scrollTop + 2 * box.clientHeight > box.scrollHeight) more();
    });
    box.addEventListener("focusin", (event) => {
      if (event.target === box.lastElementChild) more();
      this.describe(row, event.target);
    });
    box.addEventListener("mouseover", (event) => this.describe(row, event.target));
    box.addEventListener("click", (event) => this.open(row, event.target));
    box.addEventListener("keydown", (event) => this.key(row, box, event));
    return box;
  }

  chips(token, index) {
    const [id, text, , , flags] = token;
    const classes = [
      flags & SPECIAL && "special", flags & UNKNOWN && "unknown", flags & PARTIAL && "partial", flags & DIFFERS && "differs",
    ].filter(Boolean).join(" ");
    const made = chip(index, text, classes);
    made.setAttribute("role", "option");
    made.tabIndex = index === 0 ? 0 : -1;
    made.append(element("span", { class: "token-id" }, String(id)));
    made.dataset.index = index;
    return text.endsWith("⏎") ? [made, element("br")] : [made];
  }

  describe(row, target) {
    const token = row.tokens[target.closest(".chip")?.dataset.index];
    if (!token) return;
    const [id, text, start, end, flags, bytes] = token;
    const marks = [
      flags & SPECIAL && "special", flags & UNKNOWN && "unknown", flags & PARTIAL && "part of a character",
      flags & DIFFERS && "ends where another does not",
    ].filter(Boolean);
    say(`${text}  id ${id}  bytes ${bytes}  code points ${codePoints(bytes)}  place ${start} to ${end}  ${marks.join(", ")}`);
  }

  open(row, target) {
    const made = target.closest(".chip");
    const token = made && row.tokens[made.dataset.index];
    if (token) this.detail.open(row, token, made);
  }

  key(row, box, event) {
    const chips = [...box.querySelectorAll(".chip")];
    const now = chips.indexOf(event.target.closest(".chip"));
    const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: chips.length - 1 }[event.key];
    if (next !== undefined && chips[next]) {
      event.preventDefault();
      chips[now].tabIndex = -1;
      chips[next].tabIndex = 0;
      chips[next].focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.open(row, event.target);
    }
  }
}

function codePoints(hex) {
  const bytes = Uint8Array.from(hex.split(" ").filter(Boolean), (pair) => parseInt(pair, 16));
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return [...text].map((character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`).join(" ");
  } catch {
    return "none whole";
  }
}
