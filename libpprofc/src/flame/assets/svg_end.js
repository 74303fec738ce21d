  root.classList.add("live");
  restore();
})();
