/** Runs in the page, as a text: finds what is wrong with its layout. */
globalThis.faultsIn = (above) => {
  const nameOf = (element) =>
    `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} “${(element.textContent ?? '').slice(0, 30)}”`;

  /** The part of an element that can be seen. */
  const seen = (element) => {
    // What is in closed details has a box, too.
    if (!element.checkVisibility()) return undefined;
    let { left, right, top, bottom } = element.getBoundingClientRect();
    for (let outer = element; outer !== null; outer = outer.parentElement) {
      const style = getComputedStyle(outer);
      if (style.visibility === 'hidden' || style.opacity === '0' || style.clipPath !== 'none') return undefined;
      if (outer === element || style.overflow === 'visible') continue;
      const clip = outer.getBoundingClientRect();
      left = Math.max(left, clip.left);
      right = Math.min(right, clip.right);
      top = Math.max(top, clip.top);
      bottom = Math.min(bottom, clip.bottom);
    }
    return right - left > 1 && bottom - top > 1 ? { element, left, right, top, bottom } : undefined;
  };

  const isLeaf = (element) =>
    element.matches('input, select, textarea, button, svg, h1, h2, h3') ||
    [...element.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && (textContent ?? '').trim() !== '');

  const all = [...document.body.querySelectorAll('*')].filter((element) => element.closest(above) === null);
  const boxes = all.filter(isLeaf).flatMap((element) => seen(element) ?? []);
  const faults = [];

  const sideways = document.documentElement.scrollWidth - innerWidth;
  if (sideways > 0) faults.push(`the page scrolls sideways by ${sideways} pixels`);

  for (const { element, left, right } of boxes)
    if (left < -1 || right > innerWidth + 1) faults.push(`${nameOf(element)} is beyond the screen`);

  for (const element of all) {
    const { overflowX, textOverflow } = getComputedStyle(element);
    const isCut =
      overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1 && seen(element) !== undefined;
    if (isCut && overflowX === 'hidden' && textOverflow !== 'ellipsis') faults.push(`${nameOf(element)} is cut`);
    if (isCut && element.matches('h1, h2, .button, .segments button')) faults.push(`${nameOf(element)} is cut`);
    if (isCut && element.matches('.main, .aside, .aside-part, .timeline, .rows, .list-rows, .timeline-bar'))
      faults.push(`${nameOf(element)} scrolls sideways`);
  }

  for (const [at, one] of boxes.entries())
    for (const other of boxes.slice(at + 1)) {
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (width > 2 && height > 2) faults.push(`${nameOf(one.element)} overlaps ${nameOf(other.element)}`);
    }
  return faults;
};
