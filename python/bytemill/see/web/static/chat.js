// Messages, and what the model's template makes of them.
import { ask, chip, chosenModel, element, latest, replaceWith } from "./parts.js";

export class ChatView {
  constructor() {
    this.messages = [{ role: "user", content: "What is a token?" }, { role: "assistant", content: "A piece of text." }];
    this.refresh = latest((isLast) => this.load(isLast));
    document.getElementById("prompt").addEventListener("change", () => this.refresh());
    document.getElementById("say").addEventListener("click", () => {
      this.messages.push({ role: "user", content: "" });
      this.draw();
      this.refresh();
    });
    this.draw();
  }

  choose(model) {
    if (model) document.querySelector("#chat select.model").value = model.name;
  }

  draw() {
    replaceWith(document.getElementById("messages"), this.messages.map((message) => {
      const role = element("select", { ariaLabel: "Role" }, ...["system", "user", "assistant"].map((name) => element("option", {}, name)));
      role.value = message.role;
      role.addEventListener("change", () => ((message.role = role.value), this.refresh()));
      const content = element("textarea", { rows: 2, ariaLabel: "Message", value: message.content });
      content.addEventListener("input", () => ((message.content = content.value), this.refresh()));
      return element("div", { class: "message-row" }, role, content);
    }));
  }

  async load(isLast) {
    const prompt = document.getElementById("prompt").checked;
    const found = await ask("chat", { model: chosenModel("chat"), messages: this.messages, prompt });
    if (!isLast()) return;
    const shown = document.getElementById("chat-shown");
    if (found.error) return replaceWith(shown, [element("p", { class: "refused" }, found.error)]);
    const box = element("div", { class: "tokens", dir: "ltr" });
    found.tokens.forEach(([id, text, special, said], index) => {
      const made = chip(index, text, `${special ? "special" : ""} ${said ? "said" : ""}`);
      made.append(element("span", { class: "token-id" }, String(id)));
      box.append(made);
      if (text.endsWith("⏎")) box.append(element("br"));
    });
    replaceWith(shown, [element("p", { class: "soft" }, `${found.count} tokens; underlined is what the assistant says`), box]);
  }
}
