// Runs before the first paint, so that the page never flashes in the wrong colours.
(function () {
  try {
    var theme = JSON.parse(localStorage.getItem("magister.settings") || "{}").theme;
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  } catch (error) {
    // Without storage the theme of the system applies.
  }
})();
