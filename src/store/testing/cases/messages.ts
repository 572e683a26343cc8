/** Messages to subscribers, which are sent after the run. */
import type { StoreDriver } from '../../driver.ts';
import { check, same, soon } from '../check.ts';
import { type Cases, doneOf, put, type TestedStore } from '../tested-store.ts';

const publish = (text: string, topic = 't') => ({ op: 'publish', topic, text }) as const;

/** What a subscriber has received, and how to wait for a text. */
class Inbox {
  readonly texts: string[] = [];
  readonly #waiting = new Map<string, () => void>();

  readonly receive = (text: string): void => {
    this.texts.push(text);
    this.#waiting.get(text)?.();
  };

  async has(text: string): Promise<void> {
    if (this.texts.includes(text)) return;
    await soon(new Promise<void>((resolve) => this.#waiting.set(text, resolve)), `the message '${text.slice(0, 40)}'`);
  }
}

async function subscribe(driver: StoreDriver, topic = 't'): Promise<Inbox & { unsubscribe: () => void }> {
  const inbox = new Inbox();
  const unsubscribe = await driver.subscribe(topic, inbox.receive);
  return Object.assign(inbox, { unsubscribe });
}

const send = async (driver: StoreDriver, text: string, topic?: string): Promise<void> =>
  void doneOf(await driver.run('p', [publish(text, topic)]));

/** Publishes until it works: a connection that was cut may refuse a run. */
async function sendAnyway(store: TestedStore, text: string): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return await send(store.driver, text);
    } catch (cause) {
      if (attempt === 50) throw cause;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
}

export const messageCases: Cases = {
  async 'a message reaches all subscribers of its topic, on every connection'(store) {
    const inboxes = [await subscribe(store.driver), await subscribe(store.driver), await subscribe(store.other)];
    same(await store.done(publish('from one')), [undefined], 'the result of publish');
    await send(store.other, 'from other');
    for (const inbox of inboxes) {
      await inbox.has('from one');
      await inbox.has('from other');
      same(inbox.texts.toSorted(), ['from one', 'from other'], 'what was received');
    }
  },

  async 'messages of other topics are not received'(store) {
    const inbox = await subscribe(store.driver);
    for (const topic of ['other', 'T', 't ', '', 't*']) await send(store.driver, `of ${topic}`, topic);
    await send(store.driver, 'last');
    await inbox.has('last');
    same(inbox.texts, ['last'], 'what was received');
  },

  async 'topics are those of the store, not of a partition'(store) {
    const inbox = await subscribe(store.driver);
    await store.other.run('another', [publish('text')]);
    await inbox.has('text');
  },

  async 'a run that fails sends nothing'(store) {
    const inbox = await subscribe(store.driver);
    await store.done(put('a'));
    await store.refused('condition', publish('first'), put('a', { when: 'absent' }), publish('second'));
    await store.refused('tokens', publish('third'), { op: 'tokens', key: 'k', costMs: 2, fullMs: 1 });
    await send(store.driver, 'last');
    await inbox.has('last');
    same(inbox.texts, ['last'], 'what was received');
  },

  async 'a message is sent after the run: who receives it finds what was written'(store) {
    const found: (string | undefined)[] = [];
    for (const subscriber of [store.driver, store.other]) {
      const key = `${found.length}`;
      const read = new Promise<string | undefined>((resolve) => {
        const onMessage = (): void =>
          void Promise.resolve(subscriber.run('p', [{ op: 'get', key }])).then((ran) =>
            resolve(ran.failed === undefined ? (ran.results[0] as { data?: string } | undefined)?.data : undefined),
          );
        void Promise.resolve(subscriber.subscribe(`written ${key}`, onMessage)).then(() =>
          store.run(publish('text', `written ${key}`), put(key, { data: 'written' })),
        );
      });
      found.push(await soon(read, 'a message'));
    }
    same(found, ['written', 'written'], 'the rows that subscribers found');
  },

  async 'a message is received once'(store) {
    const inbox = await subscribe(store.driver);
    const twice = await subscribe(store.driver);
    for (let count = 0; count < 20; count++) await send(store.other, `${count}`);
    await inbox.has('19');
    await twice.has('19');
    same([new Set(inbox.texts).size, inbox.texts.length], [20, 20], 'how many were received');
  },

  async 'messages of one connection arrive in order, long ones too'(store) {
    const inbox = await subscribe(store.driver);
    const texts = Array.from({ length: 12 }, (_, n) => (n % 3 === 0 ? `${n}`.padEnd(20_000, '.') : `${n}`));
    for (const text of texts) await send(store.other, text);
    await Promise.all(texts.map((text) => inbox.has(text)));
    same(
      inbox.texts.map((text) => Number.parseInt(text, 10)),
      texts.map((_, n) => n),
      'what was received',
    );
  },

  async 'after unsubscribing nothing is received, and others still receive'(store) {
    const [one, other] = [await subscribe(store.driver), await subscribe(store.driver)];
    await send(store.driver, 'first');
    await one.has('first');
    one.unsubscribe();
    one.unsubscribe();
    await send(store.driver, 'second');
    await other.has('second');
    same(one.texts, ['first'], 'what was received');
    other.unsubscribe();
    const again = await subscribe(store.driver);
    await send(store.driver, 'third');
    await again.has('third');
    same([other.texts.includes('third'), again.texts], [false, ['third']], 'what was received after all had left');
  },

  async 'texts of any length and characters are received'(store) {
    const inbox = await subscribe(store.driver);
    const texts = ['', 'ü 😀 "\\ \n', '\0\u0001\ud800', 'x'.repeat(100_000), '€'.repeat(7000)];
    for (const text of texts) {
      await send(store.driver, text);
      await inbox.has(text);
    }
    check(
      texts.every((text) => inbox.texts.includes(text)),
      'all texts were received',
    );
  },

  async 'topics of any characters'(store) {
    for (const topic of ['ü😀', "a'b", 'a"b', 'a b', 'a\0b', '\ud800', 'x'.repeat(300)]) {
      const inbox = await subscribe(store.driver, topic);
      await send(store.other, 'text', topic);
      await inbox.has('text');
    }
  },

  async 'onMissed is called when the connection was cut, and messages are received again'(store) {
    if (store.under.disconnect === undefined) return;
    const inbox = new Inbox();
    let missed: () => void = () => undefined;
    const isMissed = new Promise<void>((resolve) => (missed = resolve));
    await store.driver.subscribe('t', inbox.receive, () => missed());
    await sendAnyway(store, 'before');
    await inbox.has('before');
    await store.under.disconnect();
    await soon(isMissed, 'onMissed');
    await sendAnyway(store, 'after');
    await inbox.has('after');
  },
};
