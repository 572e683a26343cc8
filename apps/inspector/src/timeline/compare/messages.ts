/** The texts of the messages that are compared. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ApiError, Row } from '../../../../../src/inspector/api.ts';
import { call, errorOf } from '../../api/call.ts';
import { comparable } from './align.ts';

/** The most that one call returns. */
const textsAtOnce = 256;

/** Messages by `seq`, without their ids. */
export interface Messages {
  readonly bySeq: ReadonlyMap<number, unknown>;
  readonly error?: ApiError;
}

const none: Messages = { bySeq: new Map() };

export function useMessages(recording: string, rows: readonly Row[]): Messages {
  const found = useSignal<Messages>(none);
  const seqs = rows.map(({ seq }) => seq);
  const key = `${recording} ${seqs.join()}`;
  useEffect(() => {
    let isWanted = true;
    const fetchAll = async (): Promise<void> => {
      const bySeq = new Map<number, unknown>();
      for (let at = 0; at < seqs.length; at += textsAtOnce) {
        if (!isWanted) return;
        const { texts } = await call('texts', { recording, seqs: seqs.slice(at, at + textsAtOnce) });
        for (const { seq, text } of texts) bySeq.set(seq, comparable(text));
      }
      if (isWanted) found.value = { bySeq };
    };
    void fetchAll().catch((thrown) => {
      if (isWanted) found.value = { ...none, error: errorOf(thrown) };
    });
    return () => void (isWanted = false);
  }, [key]);
  return found.value;
}
