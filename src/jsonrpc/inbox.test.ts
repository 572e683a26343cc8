import { describe, expect, test } from 'vitest';
import { writeFrame } from './frame.ts';
import { Inbox } from './inbox.ts';
import type { ErrorMessage, RequestId, ResultMessage } from './message.ts';

const result = (id: RequestId, value: unknown = {}): ResultMessage => ({ jsonrpc: '2.0', id, result: value });
const failure = { code: -32600, message: 'no' };
const error = (id: RequestId): ErrorMessage => ({ jsonrpc: '2.0', id, error: failure });

function open(maxInFlight = 10, maxMessageChars = 1000): { inbox: Inbox; sent: unknown[] } {
  const sent: unknown[] = [];
  return {
    inbox: new Inbox(maxInFlight, {
      maxMessageChars,
      write: (message) => writeFrame(message),
      sendAnswer: (frame) => sent.push(JSON.parse(frame)),
      hasNullId: () => false,
    }),
    sent,
  };
}

describe('requests that came alone', () => {
  test('each is answered at once, by itself and with its id as it came', () => {
    const { inbox, sent } = open();
    for (const id of [1, '1', 0, '']) expect(inbox.admit(id)).toBeUndefined();
    for (const id of ['', 0, '1']) inbox.settle(result(id));
    inbox.settle(error(1));
    expect(sent).toEqual([result(''), result(0), result('1'), error(1)]);
  });

  test('a second answer, and one to a request that never came or was forgotten, is not sent', () => {
    const { inbox, sent } = open();
    inbox.admit(1);
    inbox.admit(2);
    inbox.settle(result(1));
    inbox.settle(error(1));
    inbox.forget(2);
    inbox.forget(2);
    inbox.settle(result(2));
    inbox.settle(result(3));
    expect(sent).toEqual([result(1)]);
  });

  test('an id in use is refused without an answer, which the other side could take for that of the first request', () => {
    const { inbox, sent } = open();
    inbox.admit(1);
    expect(inbox.admit(1)).toMatchObject({ code: 'invalid-message' });
    expect(sent).toEqual([]);
    inbox.settle(result(1));
    expect(inbox.admit(1)).toBeUndefined();
  });

  test('more than the limit are refused with an answer, and admitted again when there is room', () => {
    const { inbox, sent } = open(2);
    inbox.admit(1);
    inbox.admit(2);
    expect(inbox.admit(3)).toMatchObject({ code: 'queue-full' });
    expect(sent).toMatchObject([{ id: 3, error: { code: -32603 } }]);
    inbox.forget(1);
    expect(inbox.admit(4)).toBeUndefined();
  });

  test('an answer that cannot be written is replaced by an internal error, and what was wrong comes back', () => {
    const { inbox, sent } = open();
    inbox.admit(1);
    inbox.admit(2);
    expect(inbox.settle(result(1, { n: 1n }))).toMatchObject({ code: 'invalid-outgoing-message' });
    expect(inbox.settle({ jsonrpc: '2.0', id: 2, error: { code: 0.5, message: '' } })).toMatchObject({
      code: 'invalid-outgoing-message',
    });
    expect(sent).toMatchObject([
      { id: 1, error: { code: -32603 } },
      { id: 2, error: { code: -32603 } },
    ]);
  });

  test('a reply without an id carries none', () => {
    const { inbox, sent } = open();
    inbox.reply(undefined, failure);
    expect(sent).toEqual([{ jsonrpc: '2.0', error: failure }]);
  });

  test('after the end nothing is answered', () => {
    const { inbox, sent } = open();
    inbox.admit(1);
    inbox.close();
    inbox.settle(result(1));
    expect(sent).toEqual([]);
  });
});

describe('requests of one batch', () => {
  test('their answers go back together, in the order they were given, when the last is there', () => {
    const { inbox, sent } = open();
    inbox.collectBatch(() => {
      for (const id of [1, 2, 3]) inbox.admit(id);
      inbox.settle(result(3));
    });
    inbox.settle(result(1));
    expect(sent).toEqual([]);
    inbox.settle(error(2));
    expect(sent).toEqual([[result(3), result(1), error(2)]]);
  });

  test('answers given at once go back when the batch is read to its end, not before', () => {
    const { inbox, sent } = open();
    inbox.collectBatch(() => {
      inbox.admit(1);
      inbox.settle(result(1));
      expect(sent).toEqual([]);
      inbox.admit(2);
      inbox.settle(result(2));
    });
    expect(sent).toEqual([[result(1), result(2)]]);
  });

  test('a batch of one is answered as a batch', () => {
    const { inbox, sent } = open();
    inbox.collectBatch(() => inbox.admit(1));
    inbox.settle(result(1));
    expect(sent).toEqual([[result(1)]]);
  });

  test('a batch with nothing to answer sends nothing', () => {
    const { inbox, sent } = open();
    inbox.collectBatch(() => {});
    expect(sent).toEqual([]);
  });

  test('replies to invalid messages are part of it', () => {
    const { inbox, sent } = open();
    inbox.collectBatch(() => {
      inbox.reply(undefined, failure);
      inbox.admit(1);
      inbox.reply('x', failure);
    });
    expect(sent).toEqual([]);
    inbox.settle(result(1));
    expect(sent).toEqual([[{ jsonrpc: '2.0', error: failure }, error('x'), result(1)]]);
  });

  test('a forgotten request is no longer waited for', () => {
    const { inbox, sent } = open();
    inbox.collectBatch(() => {
      inbox.admit(1);
      inbox.admit(2);
      inbox.forget(1);
    });
    inbox.settle(result(2));
    inbox.collectBatch(() => inbox.admit(3));
    inbox.forget(3);
    inbox.collectBatch(() => {
      inbox.admit(4);
      inbox.admit(5);
    });
    inbox.settle(result(4));
    inbox.forget(5);
    expect(sent).toEqual([[result(2)], [result(4)]]);
  });

  test('two batches and a request alone do not mix', () => {
    const { inbox, sent } = open();
    inbox.collectBatch(() => {
      inbox.admit(1);
      inbox.admit(2);
    });
    inbox.collectBatch(() => inbox.admit(3));
    inbox.admit(4);
    for (const id of [2, 4, 3, 1]) inbox.settle(result(id));
    expect(sent).toEqual([result(4), [result(3)], [result(2), result(1)]]);
  });

  test('one that cannot be written spoils none of the others', () => {
    const { inbox, sent } = open();
    inbox.collectBatch(() => {
      inbox.admit(1);
      inbox.admit(2);
    });
    inbox.settle(result(1, () => {}));
    inbox.settle(result(2));
    expect(sent).toMatchObject([
      [
        { id: 1, error: { code: -32603 } },
        { id: 2, result: {} },
      ],
    ]);
  });

  test('a reading that throws still lets the answers go', () => {
    const { inbox, sent } = open();
    const broken = (): void => {
      inbox.admit(1);
      throw new RangeError('broken');
    };
    expect(() => inbox.collectBatch(broken)).toThrow(RangeError);
    inbox.settle(result(1));
    inbox.admit(2);
    inbox.settle(result(2));
    expect(sent).toEqual([[result(1)], result(2)]);
  });
});

describe('answers of one batch that are over the limit together', () => {
  /** An answer of so many characters. */
  const sized = (id: RequestId, characters: number): ResultMessage =>
    result(id, 'x'.repeat(characters - JSON.stringify(result(id, '')).length));

  function answered(maxMessageChars: number, answers: readonly ResultMessage[]): unknown[] {
    const { inbox, sent } = open(10, maxMessageChars);
    inbox.collectBatch(() => {
      for (const { id } of answers) inbox.admit(id);
    });
    for (const answer of answers) {
      expect(sent).toEqual([]);
      inbox.settle(answer);
    }
    return sent;
  }

  const [a, b, c] = [sized(1, 60), sized(2, 60), sized(3, 60)];

  test('leave in several batches, whole and in their order', () => {
    expect(answered(130, [a, b, c])).toEqual([[a, b], [c]]);
    expect(answered(100, [a, b, c])).toEqual([[a], [b], [c]]);
  });

  test('leave in one where they fill it to the last character', () => {
    expect(answered(123, [a, b])).toEqual([[a, b]]);
    expect(answered(122, [a, b])).toEqual([[a], [b]]);
  });

  test('leave without brackets where one has no room for them', () => {
    const whole = sized(2, 100);
    expect(answered(100, [a, whole, c])).toEqual([[a], whole, [c]]);
    expect(answered(101, [whole])).toEqual([whole]);
    expect(answered(102, [whole])).toEqual([[whole]]);
  });
});
