// Keys for whoever does a thousand of these. Without this script every button and field works all the same.
(function () {
  "use strict";
  var OFF = "paws-keys-off", toggle = document.getElementById("keys-toggle");
  function on() { try { return !localStorage.getItem(OFF); } catch (e) { return true; } }
  function show() {
    if (!toggle) { return; }
    toggle.hidden = false;
    toggle.setAttribute("aria-pressed", String(on()));
    document.body.classList.toggle("no-keys", !on());
  }
  if (toggle) {
    toggle.addEventListener("click", function () {
      try { if (on()) { localStorage.setItem(OFF, "1"); } else { localStorage.removeItem(OFF); } } catch (e) { /* none */ }
      show();
    });
  }
  show();
  function writes(e) { return e && (e.tagName === "TEXTAREA" || (e.tagName === "INPUT" && e.type === "text")); }
  function press(target) {
    if (target.type === "radio") {
      target.checked = true;
      target.focus();
      target.dispatchEvent(new Event("change", { bubbles: true }));
    } else if (target.tagName === "TEXTAREA") {
      target.focus();
      target.setSelectionRange(target.value.length, target.value.length);
    } else {
      target.click();
    }
  }
  // The first group of choices that nothing was chosen in: 1, 2, 3 go there, then to the next.
  function group() {
    return Array.from(document.querySelectorAll("fieldset[data-group]")).find(function (one) {
      return !one.querySelector("input:checked");
    });
  }
  document.addEventListener("keydown", function (e) {
    if (e.isComposing || e.defaultPrevented) { return; }
    var field = e.target;
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      var main = document.querySelector("[data-key='Ctrl+Enter']");
      if (main) { e.preventDefault(); main.click(); }
      return;
    }
    if (writes(field)) {
      if (e.key === "Escape") { field.blur(); e.preventDefault(); }
      if (e.key === "Enter" && field.tagName === "TEXTAREA" && !e.shiftKey) {
        // A sentence is one line.
        e.preventDefault();
        var enter = document.querySelector("[data-key='Enter']");
        if (enter) { enter.click(); }
      }
      return;
    }
    if (!on() || e.ctrlKey || e.metaKey || e.altKey || e.repeat) { return; }
    var key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    if (key === "Enter" && (field.tagName === "BUTTON" || field.tagName === "A" || field.tagName === "SUMMARY")) { return; }
    var open = group();
    var target = open && open.querySelector("[data-keys~='" + CSS.escape(key) + "']");
    target = target || document.querySelector("button[data-key='" + CSS.escape(key) + "'], textarea[data-key='" + CSS.escape(key) + "']");
    if (!target && !open) { target = document.querySelector("button[data-keys~='" + CSS.escape(key) + "']"); }
    if (target) { e.preventDefault(); press(target); }
  });
  // Once is enough: a second click would find the form sent.
  document.querySelectorAll("form").forEach(function (form) {
    form.addEventListener("submit", function (e) {
      if (form.dataset.sent) { e.preventDefault(); return; }
      form.dataset.sent = "1";
      form.setAttribute("aria-busy", "true");
      document.body.classList.add("busy");
    });
  });
  addEventListener("pageshow", function (e) {
    if (e.persisted) { location.reload(); }
  });
  // What is revised goes on at its end. Focus may come before this script or after it.
  document.querySelectorAll("textarea[data-end]").forEach(function (field) {
    function toEnd() { field.setSelectionRange(field.value.length, field.value.length); }
    if (document.activeElement === field) { toEnd(); } else { field.addEventListener("focus", toEnd, { once: true }); }
  });
}());
