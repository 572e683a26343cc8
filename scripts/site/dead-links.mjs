/** Links of a built site that lead nowhere: to no file of it, or to no place in its page. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** One line for each, with the page that has it. */
export function deadLinks(folder, base = '/') {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.html') && path !== '404.html');
  const read = new Map();
  const idsOf = (path) => {
    const ids = read.get(path) ?? new Set(attributes(readFileSync(join(folder, path), 'utf8'), 'id'));
    read.set(path, ids);
    return ids;
  };
  return pages.flatMap((page) => {
    const links = new Set(attributes(readFileSync(join(folder, page), 'utf8'), 'href'));
    return [...links].flatMap((link) => {
      const reason = wrongWith(link, page);
      return reason === undefined ? [] : [`${page}: ${link}: ${reason}`];
    });
  });

  function wrongWith(link, page) {
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(link)) return undefined;
    const [path = '', anchor] = decodeURI(link.replaceAll('&amp;', '&')).split('#');
    if (path.startsWith('/') && !path.startsWith(base)) return `it is not below ${base}`;
    const place = path.startsWith('/') ? path.slice(base.length) : posix.join(dirname(page), path);
    const file = path === '' ? page : fileAt(place);
    if (file === undefined) return 'no such page';
    if (!anchor || !file.endsWith('.html') || idsOf(file).has(anchor)) return undefined;
    return 'the page has no such heading';
  }

  function fileAt(place) {
    const candidates = [place, posix.join(place, 'index.html'), `${place}.html`].map((each) =>
      each.replace(/^\.\/?/, ''),
    );
    return candidates.find(
      (each) => each !== '' && existsSync(join(folder, each)) && statSync(join(folder, each)).isFile(),
    );
  }
}

const attributes = (html, name) =>
  [...html.matchAll(new RegExp(`<[a-z][^>]*? ${name}="([^"]*)"`, 'g'))].map(([, value]) => value);
