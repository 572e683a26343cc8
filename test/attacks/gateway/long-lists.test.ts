/** Long lists of an upstream: what a gateway holds of them is bounded for all readers and followers together. */
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client/api/client.ts';
import type { UpstreamFeatures } from '../../../src/gateway/catalogue/catalogue.ts';
import { maxHeldChars } from '../../../src/gateway/catalogue/held-lists.ts';
import { OwnerLists } from '../../../src/gateway/catalogue/owner-lists.ts';
import { ListReader } from '../../../src/gateway/connections/upstream-lists.ts';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { createDeferred } from '../../../src/lib/values/deferred.ts';

/** Its tools come in pages, of which each waits for `next`. */
function listing(pageOf: (page: number) => object, next: () => Promise<void> = async () => {}) {
  let pages = 0;
  const client = {
    capabilities: { tools: {} },
    tools: {
      list: () => ({
        async *pages() {
          for (;;) {
            yield [pageOf(pages++)];
            await next();
          }
        },
      }),
    },
  };
  return { client: client as unknown as Client, pages: () => pages };
}

const { signal } = new AbortController();
const tooLong = { code: 'list-too-long' };

describe('A list of an upstream', () => {
  it('of a million values ends as early as one of as many characters as these take [S24, S36]', async () => {
    const { client, pages } = listing(() => ({ x: Array.from({ length: 30_000 }, () => ({})) }));
    await expect(new ListReader().readAll(client, signal)).rejects.toMatchObject(tooLong);
    expect(pages()).toBe(16);
  });

  it('is not read where the lists for other owners fill the memory, and is once these are read [S24, S36]', async () => {
    const large = 'x'.repeat(15 * 1024 * 1024);
    const reader = new ListReader();
    const end = createDeferred<void>();
    const held = [1, 2, 3].map(() =>
      reader.readAll(
        listing(
          () => ({ large }),
          () => end.promise,
        ).client,
        signal,
      ),
    );
    const other = listing(() => ({ large }));
    await expect(reader.readAll(other.client, signal)).rejects.toMatchObject(tooLong);
    expect(other.pages()).toBe(1);
    end.reject(new Error('The connection is lost.'));
    await Promise.allSettled(held);
    await expect(reader.readAll(other.client, signal)).rejects.toMatchObject(tooLong);
    expect(other.pages()).toBe(3);
  });

  it('makes room for that of another owner also where a session follows it, which learns of a change [S24, S36]', async () => {
    let digest = 0;
    const none = new Map();
    const read = async () =>
      ({
        catalogue: { digest: `${++digest}`, weight: 0.6 * maxHeldChars },
        tools: none,
        resources: none,
        templates: none,
        prompts: none,
      }) as unknown as UpstreamFeatures;
    const lists = new OwnerLists({ deadlines: createFakeClock(), read, failed() {} } as never);
    const changes: string[] = [];
    const session = (name: string) => {
      const changed = ({ kind }: { readonly kind: string }): void => void changes.push(`${name} ${kind}`);
      const caller = { connectionKey: name, caller: { session: { isEnded: false, changed } } } as never;
      const user = { listKey: name } as never;
      return { user, load: () => lists.load(caller, user) };
    };
    const [ada, bea] = [session('ada'), session('bea')];
    await ada.load();
    await bea.load();
    expect([lists.find(ada.user), lists.find(bea.user)]).toEqual([undefined, expect.anything()]);
    expect(changes).toEqual([]);
    await ada.load();
    expect([lists.find(ada.user), lists.find(bea.user)]).toEqual([expect.anything(), undefined]);
    expect(changes).toEqual(['ada tools', 'ada resources', 'ada prompts']);
  });
});
