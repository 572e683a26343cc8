/** What is measured inside the page, by its own clock. Each function is sent to the page as text: it uses nothing outside itself. */

/** Runs before the scripts of the page: notes which states of the backend have arrived. */
export function watchStates() {
  const arrived = new Set();
  const own = globalThis.fetch;
  globalThis.fetch = async (address, options) => {
    const response = await own(address, options);
    if (String(address).endsWith('/api/state')) {
      const { seq } = JSON.parse(options.body);
      const read = response.json.bind(response);
      response.json = async () => {
        const body = await read();
        arrived.add(seq);
        return body;
      };
    }
    return response;
  };
  Object.assign(globalThis, { arrivedStates: arrived });
}

/** The times between frames while the list is scrolled from its beginning to its end. */
export function scroll(frames) {
  const list = document.querySelector('[role="listbox"]');
  const end = list.scrollHeight - list.clientHeight;
  return new Promise((resolve) => {
    const times = [];
    let before;
    const step = (now) => {
      if (before !== undefined) times.push(now - before);
      before = now;
      if (times.length === frames) return resolve({ times, rows: list.querySelectorAll('.row').length });
      list.scrollTop = (end * times.length) / frames;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}

/** Sets a field of the toolbar; the time until the count of the rows is the expected one, and drawn. */
export function filter({ label, event, value, expected }) {
  const field = document.querySelector(`[aria-label="${label}"]`);
  const count = document.querySelector('.rows-count');
  const began = performance.now();
  field.value = value;
  field.dispatchEvent(new Event(event, { bubbles: true }));
  return new Promise((resolve) => {
    const look = () =>
      count.textContent.startsWith(`${expected} `) ? resolve(performance.now() - began) : requestAnimationFrame(look);
    requestAnimationFrame(look);
  });
}

/** Moves to an event; the time until its state has arrived and is drawn. */
export function moveTo(seq) {
  const slider = document.querySelector('[aria-label="Moment"]');
  const began = performance.now();
  slider.value = String(seq - 1);
  slider.dispatchEvent(new Event('input', { bubbles: true }));
  return new Promise((resolve) => {
    const look = () => {
      if (!globalThis.arrivedStates.has(seq)) return requestAnimationFrame(look);
      requestAnimationFrame(() => resolve(performance.now() - began));
    };
    requestAnimationFrame(look);
  });
}
