document.addEventListener('click', function (event) {
  if (event.target.classList.contains('livesrc')) event.target.classList.toggle('open');
});
