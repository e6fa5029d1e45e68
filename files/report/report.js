// Filters and opens what is already on the page (plugins/plugin_utils/_report_page.py). Reads and makes no markup.
"use strict";
(function () {
  const all = (selector, where) => Array.from((where || document).querySelectorAll(selector));
  const one = (id) => document.getElementById(id);
  const root = document.documentElement;
  const filter = one("filter");
  const quiet = one("quiet");
  const lines = all("#matrix tr.line").map((line) => {
    const detail = line.nextElementSibling;
    const level = Number(line.dataset.level);
    // What is in order would make every word fit every host.
    const told = all("tbody tr", detail).filter((row) => !row.parentElement.closest("details:not(.places)"));
    const clis = detail.querySelector(".clis").textContent;
    const words = [line.querySelector("th.host").textContent, clis].concat(told.map((row) => row.textContent)).join("\n").toLowerCase();
    return { line, detail, level, words };
  });
  let picked = "";

  function level() {
    return Number(document.querySelector('input[name="level"]:checked').value);
  }

  function open(detail, check, wanted) {
    detail.classList.toggle("opened", wanted);
    detail.previousElementSibling.classList.toggle("opened", wanted);
    all("tbody tr", detail).forEach((row) => row.classList.toggle("picked", wanted && Boolean(check) && row.dataset.check === check));
    const row = wanted && detail.querySelector("tr.picked");
    if (row) {
      const folded = row.parentElement.closest("details");
      if (folded) {
        folded.open = true;
      }
      row.scrollIntoView({ block: "nearest" });
    }
  }

  function apply() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const least = level();
    let shown = 0;
    lines.forEach((each) => {
      const cell = picked && all("td", each.line).find((td) => td.dataset.check === picked);
      const fits = words.every((word) => each.words.includes(word)) && each.level >= least && (!picked || (cell && Number(cell.dataset.level) >= 2));
      each.line.hidden = !fits;
      each.detail.hidden = !fits;
      shown += fits ? 1 : 0;
    });
    all("#matrix th.check").forEach((head) => {
      const cells = all("#matrix tr.line td").filter((td) => td.dataset.check === head.dataset.check);
      const hide = quiet.checked && !cells.some((td) => !td.parentElement.hidden && Number(td.dataset.level) >= 1);
      head.hidden = hide;
      cells.forEach((td) => { td.hidden = hide; });
    });
    all("#matrix th.group").forEach((group) => {
      const names = all("#matrix th.check").filter((head) => head.dataset.group === group.dataset.group && !head.hidden);
      group.hidden = names.length === 0;
      group.colSpan = names.length || 1;
    });
    one("shown").textContent = shown + " of " + lines.length + " hosts";
    one("empty").hidden = shown > 0;
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.open, a.close, button.pick, #theme");
    if (!link) {
      return;
    }
    if (link.id === "theme") {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      return;
    }
    event.preventDefault();
    if (link.classList.contains("pick")) {
      picked = picked === link.dataset.check ? "" : link.dataset.check;
      all("button.pick").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.check === picked)));
      apply();
      return;
    }
    if (link.classList.contains("close")) {
      const detail = link.closest("tr.detail");
      open(detail, "", false);
      detail.previousElementSibling.querySelector("a.open").focus();
      return;
    }
    const detail = link.closest("tr.line").nextElementSibling;
    const check = link.dataset.check || "";
    const again = detail.classList.contains("opened") && (check === "" || detail.dataset.picked === check);
    detail.dataset.picked = check;
    open(detail, check, !again);
    all("a.open", detail.previousElementSibling).forEach((each) => each.setAttribute("aria-expanded", String(!again)));
  });
  document.addEventListener("keydown", (event) => {
    const detail = event.key === "Escape" && event.target.closest && event.target.closest("tr.detail");
    if (detail) {
      open(detail, "", false);
      detail.previousElementSibling.querySelector("a.open").focus();
    }
  });
  one("controls").addEventListener("input", apply);
  one("controls").addEventListener("submit", (event) => event.preventDefault());
  root.classList.add("scripted");
  one("controls").hidden = false;
  one("theme").hidden = false;
  apply();
})();
