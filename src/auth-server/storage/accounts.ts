/** Accounts on the store: a row for each user, changed by compare and swap. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Account } from './account.ts';
import type { SealedRows } from './sealed-rows.ts';

export interface AccountStore {
  read(subject: string): Promise<Account | undefined>;
  /**
   * Changes an account as it is at that moment: `change` is called again if another node was faster. `undefined` deletes
   * it; the account that was passed leaves it as it is. Resolves to what is stored afterwards.
   */
  update(subject: string, change: (account: Account | undefined) => Account | undefined): Promise<Account | undefined>;
}

/** Of writers that change one account at once, each round one succeeds. */
const maxAttempts = 100;

/** `lifeMs`: how long an account is stored after its last change; nothing that is based on it is valid longer. */
export function accountStore(rows: SealedRows, lifeMs: number): AccountStore {
  const kind = 'Account';

  async function changed(subject: string, version: string | undefined, account: Account | undefined): Promise<boolean> {
    if (account === undefined) return version === undefined || rows.delete(kind, subject, version);
    const when = version === undefined ? 'absent' : { version };
    return rows.write(kind, subject, account, { when, expiresInMs: lifeMs });
  }

  return {
    read: async (subject) => (await rows.read<Account>(kind, subject))?.value,
    async update(subject, change) {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const row = await rows.read<Account>(kind, subject);
        const account = change(row?.value);
        if (account === row?.value || (await changed(subject, row?.version, account))) return account;
      }
      throw new TenonError('store-busy', 'An account could not be changed: others change it all the time.', {
        hint: 'Try again.',
      });
    },
  };
}
