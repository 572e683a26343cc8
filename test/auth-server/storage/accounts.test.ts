/** Accounts: one row for each user, which nodes change at the same time without losing a change. */
import { createMemoryStore } from 'tenon/store';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Account,
  approved,
  isValid,
  maxApprovedClients,
  revoked,
  signedIn,
} from '../../../src/auth-server/storage/account.ts';
import { type AccountStore, accountStore } from '../../../src/auth-server/storage/accounts.ts';
import { sealedRows } from '../../../src/auth-server/storage/sealed-rows.ts';
import { textSeals } from '../../kit/auth/engine-node.ts';

const subject = 'github:583231';
const client = { name: 'App', redirectUri: 'http://127.0.0.1/callback', scopes: ['files:read'] };
const newAccount = (now = 1000): Account => signedIn(undefined, subject, { subject: '583231' }, undefined, now);

describe('an account on the store', () => {
  let moment: number;
  let accounts: AccountStore;
  beforeEach(() => {
    moment = 1_000_000;
    const { authorizations } = createMemoryStore({ now: () => moment });
    accounts = accountStore(
      sealedRows(authorizations, 'https://a.example', textSeals(['a secret, long enough'])),
      1000,
    );
  });

  it('is read as it was written, and not after its life', async () => {
    expect(await accounts.read(subject)).toBeUndefined();
    expect(await accounts.update(subject, () => newAccount())).toEqual(newAccount());
    expect(await accounts.read(subject)).toEqual(newAccount());
    moment += 1000;
    expect(await accounts.read(subject)).toBeUndefined();
  });

  it('loses none of many changes at once', async () => {
    await accounts.update(subject, () => newAccount());
    const approve = (n: number) =>
      accounts.update(subject, (account) => account && approved(account, `client ${n}`, client, n));
    await Promise.all(Array.from({ length: 30 }, (_, n) => approve(n)));
    expect(Object.keys((await accounts.read(subject))?.clients ?? {})).toHaveLength(30);
  });

  it('is deleted, and left as it is', async () => {
    await accounts.update(subject, () => newAccount());
    await accounts.update(subject, (account) => account);
    expect(await accounts.read(subject)).toEqual(newAccount());
    expect(await accounts.update(subject, () => undefined)).toBeUndefined();
    expect(await accounts.read(subject)).toBeUndefined();
    expect(await accounts.update(subject, (account) => account)).toBeUndefined();
  });
});

describe('access through an account', () => {
  const account = approved(newAccount(), 'a', client, 2000);

  it('is that of approved clients', () => {
    expect(isValid(account, 'a', 2)).toBe(true);
    expect(isValid(account, 'b', 2)).toBe(false);
    expect(isValid(undefined, 'a', 2)).toBe(false);
    // A client chooses its ID.
    for (const id of ['constructor', '__proto__', 'toString']) expect(isValid(account, id, 2)).toBe(false);
  });

  it('ends when it is revoked, also for what was granted before and is used after another approval', () => {
    const both = approved(account, 'b', client, 3000);
    const without = revoked(both, 5000, 'a');
    expect([isValid(without, 'a', 4), isValid(without, 'a', 6), isValid(without, 'b', 4)]).toEqual([
      false,
      false,
      true,
    ]);
    const again = approved(without, 'a', client, 6000);
    expect([isValid(again, 'a', 4), isValid(again, 'a', 6)]).toEqual([false, true]);
    const none = approved(revoked(both, 5000), 'b', client, 6000);
    expect([isValid(none, 'a', 6), isValid(none, 'b', 4), isValid(none, 'b', 5)]).toEqual([false, false, true]);
  });

  it('that was revoked does not come back with a revocation of a node whose clock is behind', () => {
    for (const id of ['a', undefined]) {
      const late = revoked(revoked(account, 9000, id), 5000, id);
      expect(isValid(approved(late, 'a', client, 9500), 'a', 6)).toBe(false);
    }
  });

  it('revoked for all clients has no tokens of the provider any more', () => {
    const tokens = { accessToken: 'canary', scopes: [] };
    const found = signedIn(account, subject, { subject }, tokens, 4000);
    expect(found).toMatchObject({ tokens, clients: account.clients });
    expect(JSON.stringify(revoked(found, 5000))).not.toContain('canary');
    expect(revoked(found, 5000, 'a')).toMatchObject({ tokens });
  });

  it('is that of 200 clients at most: the one that was approved first must ask again', () => {
    let full = account;
    for (let n = 0; n < maxApprovedClients; n++) full = approved(full, `client ${n}`, client, 3000 + n);
    expect(Object.keys(full.clients)).toHaveLength(maxApprovedClients);
    expect([isValid(full, 'a', 9), isValid(full, 'client 0', 9)]).toEqual([false, true]);
  });

  it('that was revoked does not come back when its client is dropped and approved again', () => {
    let full = revoked(account, 5000, 'a');
    for (let n = 0; n < maxApprovedClients; n++) full = approved(full, `client ${n}`, client, 6000 + n);
    const again = approved(full, 'a', client, 9000);
    expect([isValid(again, 'a', 4), isValid(again, 'a', 9)]).toEqual([false, true]);
  });
});
