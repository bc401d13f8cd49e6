// Runs before the first paint: the colours that were chosen last time, so that a dark window never flashes white. The
// settings of the engine decide as soon as they are known (theme.js).

{
  const { dataset } = document.documentElement;
  try {
    dataset.theme = localStorage.getItem('sentient.theme') ?? 'dark';
    dataset.accent = localStorage.getItem('sentient.accent') ?? 'sentient';
  } catch {
    dataset.theme = 'dark'; // a browser that keeps nothing
  }
}
