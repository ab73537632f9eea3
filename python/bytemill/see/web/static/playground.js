// The page joined: the text, the views, and what each asks the server for.
import { ask, element, replaceWith, say } from "./parts.js";
import { Editor } from "./editor.js";
import { TokensView } from "./tokens.js";
import { StagesView, SyntaxView } from "./stages.js";
import { ChatView } from "./chat.js";
import { VocabularyView } from "./vocabulary.js";

const editor = new Editor();
const views = {
  tokens: new TokensView(editor),
  stages: new StagesView(editor),
  syntax: new SyntaxView(editor),
  chat: new ChatView(),
  vocabulary: new VocabularyView(),
};
let shown = "tokens";

function show(name, focus) {
  shown = name;
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const chosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    document.getElementById(tab.getAttribute("aria-controls")).hidden = !chosen;
    if (chosen && focus) tab.focus();
  }
  say("");
  document.getElementById("writing").hidden = name === "chat" || name === "vocabulary";
  views[name].refresh();
}

function listenToTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const names = tabs.map((tab) => tab.getAttribute("aria-controls"));
  for (const tab of tabs) {
    tab.addEventListener("click", () => show(tab.getAttribute("aria-controls"), false));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      show(names[(names.indexOf(shown) + step + names.length) % names.length], true);
    });
  }
}

async function share() {
  const { html } = await ask("share", { text: editor.doc, specials: editor.specials() });
  const link = element("a", { href: URL.createObjectURL(new Blob([html], { type: "text/html" })), download: "tokens.html" });
  link.click();
  URL.revokeObjectURL(link.href);
  say("saved as tokens.html");
}

async function begin() {
  const models = await ask("models", {});
  for (const list of document.querySelectorAll("select.model")) {
    replaceWith(list, models.map((model) => element("option", {}, model.name)));
    list.addEventListener("change", () => views[shown].refresh());
  }
  document.getElementById("tab-chat").hidden = !models.some((model) => model.chat);
  views.chat.choose(models.find((model) => model.chat));
  listenToTabs();
  document.getElementById("share").addEventListener("click", share);
  editor.onchange = () => views[shown].refresh();
  // Somebody may have typed before the answer was here.
  editor.set(editor.doc || "The quick brown fox jumps over the lazy dog. Tokenization isn't über-simple: 1234567, 東京, 👩‍👩‍👧!");
}

begin();
