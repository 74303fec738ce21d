  // The switch "Only real changes": noise in grey, or as it looks without verdicts.
  var realButton = document.getElementById("realonly");
  function showReal(only) {
    frames.forEach(function (f) {
      var plain = f.group.getAttributeNS(FG, "plain"), x = Number(f.rect.getAttribute("x"));
      if (!plain) return;
      if (!f.grey) f.grey = f.rect.getAttribute("fill");
      f.sign = only ? "" : f.group.getAttributeNS(FG, "plainsign") || "";
      if (f.grey.charAt(0) === "#") f.rect.setAttribute("fill", only ? f.grey : plain);
      place(f, (x - left) / width * total, (Number(f.rect.getAttribute("width")) + 0.5) / width * total);
    });
    realButton.setAttribute("aria-checked", String(only));
    realButton.textContent = (only ? "\u2611" : "\u2610") + " Only real changes";
    setState("real", only ? null : "0");
  }
  function flipReal() { showReal(realButton.getAttribute("aria-checked") !== "true"); }
  realButton.addEventListener("click", flipReal);
  realButton.addEventListener("keydown", function (event) {
    if (event.key === "Enter" || event.key === " ") flipReal(), event.preventDefault();
  });
  if (new URLSearchParams(location.search).get("real") === "0") showReal(false);
