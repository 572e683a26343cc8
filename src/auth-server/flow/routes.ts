/** The pages of a sign-in, by path and method. */
import type { Engine } from '../engine/engine.ts';
import { isSignInPage, paths } from '../engine/paths.ts';
import type { ReceivedRequest } from '../engine/received-request.ts';
import type { Parts } from '../parts.ts';
import { changeAccount, showAccount } from './account.ts';
import { receiveCallback } from './callback.ts';
import { answerConsent, showConsent } from './consent.ts';
import { finishSignIn } from './finish.ts';
import { PageError, sendError } from './respond.ts';
import { createStoredSignIns } from './stored-sign-ins.ts';

type Serve = (request: ReceivedRequest) => Promise<void>;

/** Serves a page; an error is a page, too. */
export function createPages(parts: Parts, engine: () => Engine): Serve {
  const signIns = createStoredSignIns(parts.rows);

  function pageFor({ path, method }: ReceivedRequest): Serve {
    if (path === paths.callback && method === 'GET') return (request) => receiveCallback(parts, signIns, request);
    if (isSignInPage(path) && path.endsWith('/done') && method === 'GET')
      return (request) => finishSignIn(parts, engine(), signIns, request);
    if (isSignInPage(path) && method === 'GET') return (request) => showConsent(parts, engine(), signIns, request);
    if (isSignInPage(path) && method === 'POST') return (request) => answerConsent(parts, engine(), signIns, request);
    if (path === paths.account && method === 'GET') return (request) => showAccount(parts, signIns, request);
    if (path === paths.account && method === 'POST') return (request) => changeAccount(parts, request);
    throw new PageError(405, 'This page cannot be requested in this way.');
  }

  return async (request) => {
    try {
      await pageFor(request)(request);
    } catch (error) {
      sendError(request.response, error, parts);
    }
  };
}
