/** Two nodes with one Redis or PostgreSQL: a DPoP proof is used once on both, and a rate holds across them, without further options. */
import { tool } from 'tenon';
import { protect } from 'tenon/auth';
import { createPolicy, guard } from 'tenon/guard';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeProof, newProofKey } from '../../kit/auth/dpop.ts';
import { newKey, resource, startIssuer } from '../../kit/auth/issuer.ts';
import { loneCall } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';
import { enginesWithServers, type StartedEngine } from '../../kit/stores/engines.ts';
import { openAt, type StoreAddress } from '../../kit/stores/open-at.ts';

const secrets = ['a shared secret of the nodes'];
const tools = { it: tool({}, () => 'ok') };
const policy = 'version: 1\nrules: [{ id: all, allow: [list, call], to: any, on: any }]\n';

describe.each(enginesWithServers)('Two nodes with one %s', (_label, engine) => {
  let started: StartedEngine;
  beforeAll(async () => {
    started = await engine.start();
  });
  afterAll(() => started.close());

  const storeAt = async (address: StoreAddress) => {
    const store = await openAt(address, { commandMs: 60_000, connectMs: 60_000 });
    onTestFinished(() => store.close());
    return store;
  };

  it('refuse at one a DPoP proof that was used at the other [S20, S31]', async () => {
    const [signing, key] = await Promise.all([newKey('k1'), newProofKey()]);
    const issuer = await startIssuer(signing);
    const address = started.next();
    const node = async () => {
      const authenticate = protect({ issuer: issuer.issuer, resource, dpop: 'required' });
      const served = await serve({ authenticate, store: await storeAt(address) }, { secrets }, { tools });
      return (token: string, dpop: string) => {
        const sent = loneCall('it');
        return send(served.url, { ...sent, headers: { ...sent.headers, authorization: `DPoP ${token}`, dpop } });
      };
    };
    const [one, other] = [await node(), await node()];
    const token = await issuer.sign({ cnf: { jkt: key.jkt } });
    const proof = await makeProof(key, token);
    expect((await one(token, proof)).status).toBe(200);
    expect((await other(token, proof)).status).toBe(401);
    expect((await other(token, await makeProof(key, token))).status).toBe(200);
  });

  it('count the calls of a caller together [S20, S31]', async () => {
    const address = started.next();
    const node = async () => {
      const guarded = guard({ policy: createPolicy(policy), limits: { perPrincipal: '3/h' } });
      const served = await serve({ store: await storeAt(address) }, { secrets, guard: guarded }, { tools });
      return () => send(served.url, loneCall('it'));
    };
    const [one, other] = [await node(), await node()];
    const statuses = [];
    for (const call of [one, other, one, other, one]) statuses.push((await call()).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });
});
