/** How a client loads icons: from allowed origins, without credentials, within limits, with their real type. */
import { type IconOptions, loadIcon } from 'tenon/client';
import { describe, expect, it } from 'vitest';
import { jpeg, png, webp } from '../../kit/samples/images.ts';

const origin = 'https://shop.example';
const src = `${origin}/icon`;

/** A fake `fetch` for these URLs that records its requests. */
function web(places: Readonly<Record<string, () => Response>>) {
  const requested: Array<{ url: string; init: RequestInit }> = [];
  const fetch: NonNullable<IconOptions['fetch']> = async (url, init) => {
    requested.push({ url, init });
    const answer = places[url];
    if (answer === undefined) throw new TypeError(`no server at ${url}`);
    return answer();
  };
  return { fetch, requested, urls: () => requested.map(({ url }) => url) };
}

const image = (bytes: Uint8Array<ArrayBuffer>, type?: string) => () =>
  new Response(bytes, { headers: type === undefined ? {} : { 'content-type': type } });
const redirect = (location?: string) => () =>
  new Response(null, { status: 302, headers: location === undefined ? {} : { location } });

const loaded = (places: Readonly<Record<string, () => Response>>, options: IconOptions = {}, mimeType?: string) =>
  loadIcon({ src, ...(mimeType && { mimeType }) }, { origin, fetch: web(places).fetch, ...options });
const inUri = (type: string, bytes: Uint8Array): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
const refused = { code: 'invalid-icon' };

describe('an icon of each kind', () => {
  it.each([
    ['image/png', png(48, 48), 'image/png'],
    ['image/jpeg', jpeg(48, 48), 'image/jpeg'],
    ['image/jpg', jpeg(48, 48), 'image/jpeg'],
    ['IMAGE/PNG; q=1', png(48, 48), 'image/png'],
    ['image/webp', webp(48, 48), 'image/webp'],
  ])('such as %s is loaded, by URL or from a data URI [s-base-30]', async (declared, bytes, mimeType) => {
    expect(await loaded({ [src]: image(bytes, declared) }, {}, declared)).toEqual({ bytes, mimeType });
    expect(await loaded({ [src]: image(bytes) })).toEqual({ bytes, mimeType });
    expect(await loadIcon({ src: inUri(declared, bytes) })).toEqual({ bytes, mimeType });
  });

  it('is loaded as SVG only where the client allows it', async () => {
    const drawing = { src: `data:image/svg+xml,${encodeURIComponent('<svg><path d="M0,0?#"/></svg>')}` };
    await expect(loadIcon(drawing)).rejects.toMatchObject(refused);
    const { bytes, mimeType } = await loadIcon(drawing, { svg: true });
    expect([new TextDecoder().decode(bytes), mimeType]).toEqual(['<svg><path d="M0,0?#"/></svg>', 'image/svg+xml']);
  });
});

describe('an icon of another origin or scheme', () => {
  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://shop.example/icon',
    'ws://shop.example/icon',
    'app://local/icon',
    'http://shop.example/icon',
    'https://user:secret@shop.example/icon',
    'data:text/html,<script>',
    'data:,',
    'icon.png',
    'https://other.example/icon',
    'https://shop.example:8443/icon',
    'https://shop.example.evil.example/icon',
  ])(
    'such as %s is neither fetched nor shown [s-base-32, s-base-33, s-base-38, e-icons-03, e-icons-04, e-icons-08]',
    async (elsewhere) => {
      const { fetch, requested } = web({ [elsewhere]: image(png(1, 1)) });
      await expect(loadIcon({ src: elsewhere }, { origin, fetch })).rejects.toMatchObject(refused);
      expect(requested).toEqual([]);
    },
  );

  it('is loaded where its origin is trusted, and without an origin only from a data URI [s-base-38, e-icons-08]', async () => {
    const places = { [src]: image(png(1, 1)) };
    const by = (trust: IconOptions) => loadIcon({ src }, { fetch: web(places).fetch, ...trust }).then(() => 'loaded');
    expect(await by({ origin: `${origin}/mcp` })).toBe('loaded');
    expect(await by({ origin: 'https://other.example', trustedOrigins: [origin] })).toBe('loaded');
    await expect(by({})).rejects.toMatchObject(refused);
    await expect(by({ origin: 'no origin' })).rejects.toMatchObject(refused);
  });
});

describe('a redirect of an icon', () => {
  it('is followed within its origin, never by the runtime [s-base-34, e-icons-05]', async () => {
    const { fetch, requested, urls } = web({
      [src]: redirect('/v2/icon'),
      [`${origin}/v2/icon`]: redirect('https://shop.example/v3/icon'),
      [`${origin}/v3/icon`]: image(png(4, 4)),
    });
    expect((await loadIcon({ src }, { origin, fetch })).mimeType).toBe('image/png');
    expect(urls()).toEqual([src, `${origin}/v2/icon`, `${origin}/v3/icon`]);
    for (const { init } of requested) expect(init.redirect).toBe('manual');
  });

  it.each([
    'http://shop.example/icon',
    'https://other.example/icon',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ws://shop.example/',
    'app://local/icon',
    'data:image/png;base64,AAAA',
    'https://user:secret@shop.example/icon',
    'https://[',
    undefined,
  ])(
    'to %s is not followed, even where its origin is trusted [s-base-33, s-base-34, e-icons-04, e-icons-05]',
    async (to) => {
      const { fetch, urls } = web({ [src]: redirect(to), 'https://other.example/icon': image(png(1, 1)) });
      const trusted = ['https://other.example'];
      await expect(loadIcon({ src }, { origin, trustedOrigins: trusted, fetch })).rejects.toMatchObject(refused);
      expect(urls()).toEqual([src]);
    },
  );

  it('that never ends is refused', async () => {
    const { fetch, urls } = web({ [src]: redirect(src) });
    await expect(loadIcon({ src }, { origin, fetch })).rejects.toMatchObject(refused);
    expect(urls()).toHaveLength(4);
  });
});

it('An icon is fetched without cookies, credentials or a referrer [s-base-37, e-icons-07]', async () => {
  const { fetch, requested } = web({ [src]: redirect('/b'), [`${origin}/b`]: image(png(1, 1)) });
  await loadIcon({ src }, { origin, fetch });
  expect(requested).toHaveLength(2);
  for (const { init } of requested) {
    expect(init).toMatchObject({ credentials: 'omit', referrerPolicy: 'no-referrer' });
    expect(init.headers).toBeUndefined();
  }
});

describe('an icon that is too large', () => {
  it('in bytes is not read to its end [s-base-32, s-base-35, e-icons-03]', async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = (): Response =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull(controller) {
            pulled += 1;
            controller.enqueue(new Uint8Array(1000));
          },
          cancel: () => void (cancelled = true),
        }),
      );
    await expect(loaded({ [src]: endless }, { maxBytes: 4000 })).rejects.toMatchObject(refused);
    expect(cancelled).toBe(true);
    expect(pulled).toBeLessThan(10);
  });

  it.each([
    ['in a data URI', inUri('image/png', new Uint8Array(4001))],
    ['in a data URI, escaped', `data:image/png,${'%00'.repeat(4001)}`],
  ])('in bytes is refused %s [s-base-35]', async (_, large) => {
    await expect(loadIcon({ src: large }, { maxBytes: 4000 })).rejects.toMatchObject(refused);
  });

  it.each([
    ['width', png(1025, 1)],
    ['height', jpeg(1, 1025)],
    ['size', png(0xffffffff, 0xffffffff)],
    ['size, as WebP', webp(16_000_000, 16_000_000)],
    ['frames', png(48, 48, 100_000)],
    ['frames, as WebP', webp(48, 48, true)],
  ])('by its %s is refused without decoding it [s-base-32, s-base-35, e-icons-03]', async (_, bytes) => {
    await expect(loaded({ [src]: image(bytes) })).rejects.toMatchObject(refused);
    await expect(loadIcon({ src: inUri('image/png', bytes) })).rejects.toMatchObject(refused);
  });

  it('or too slow ends with the signal of the client', async () => {
    const patience = new AbortController();
    const fetch: NonNullable<IconOptions['fetch']> = (_url, { signal }) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const waiting = loadIcon({ src }, { origin, fetch, signal: patience.signal });
    patience.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('an icon whose content differs from its declared type', () => {
  const page = new TextEncoder().encode('<html><script>alert(1)</script></html>');

  it.each([
    ['declared as JPEG, content PNG', png(1, 1), 'image/jpeg', undefined],
    ['served as WebP, content PNG', png(1, 1), undefined, 'image/webp'],
    ['declared and served as PNG, content HTML', page, 'image/png', 'image/png'],
    ['declared as PNG, served as HTML', png(1, 1), 'image/png', 'text/html'],
    ['declared as SVG, content PNG', png(1, 1), 'image/svg+xml', undefined],
    ['a GIF', new TextEncoder().encode('GIF89a\x01\0\x01\0'), 'image/gif', 'image/gif'],
    ['empty', new Uint8Array(), undefined, undefined],
  ])('is refused: %s [s-base-40, e-icons-10]', async (_, bytes, listed, served) => {
    await expect(loaded({ [src]: image(bytes, served) }, { svg: true }, listed)).rejects.toMatchObject(refused);
  });

  it.each([
    ['another type', inUri('image/jpeg', png(1, 1))],
    ['broken Base64', 'data:image/png;base64,***'],
    ['broken escapes', 'data:image/png,%zz'],
    ['no data', 'data:image/png'],
  ])('in a data URI is refused: %s [s-base-40, e-icons-10]', async (_, wrong) => {
    await expect(loadIcon({ src: wrong })).rejects.toMatchObject(refused);
  });

  it('is refused where the server has no icon', async () => {
    await expect(loaded({ [src]: () => new Response('missing', { status: 404 }) })).rejects.toMatchObject(refused);
  });
});
