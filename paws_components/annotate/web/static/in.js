// A personal link holds its key behind the #, which is sent to nobody. Take it, and take it out of the address.
(function () {
  var key = location.hash.slice(1), form = document.getElementById("in");
  if (!key || !form) { return; }
  history.replaceState(null, "", location.pathname);
  document.getElementById("key").value = key;
  form.submit();
}());
