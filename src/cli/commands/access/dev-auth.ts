/** `tenon dev-auth`: an authorization server for development, until it is interrupted. */
import { type DevAuthOptions, startDevAuthServer } from '../../../dev-auth/index.ts';
import { isUrl } from '../../../lib/text/parse-url.ts';
import { objectIn } from '../../input/call-arguments.ts';
import type { RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { interrupted, portOf } from '../../io/until-closed.ts';
import { usageError } from '../../usage-error.ts';

export const run: RunCommand = async (given) => {
  const { io } = given;
  const auth = await startDevAuthServer({
    ...optionsOf(given),
    onAnnounce: (line) => io.err(`${line}\n`),
    onEvent: (event) => io.err(`${JSON.stringify(event)}\n`),
  });
  const { issuer } = auth;
  given.emit({ issuer }, issuer);
  await interrupted(io);
  await auth.close();
  return { result: { issuer, closed: true }, text: '' };
};

function optionsOf(given: Given): DevAuthOptions {
  const noUrl = given.texts('resource').find((text) => !isUrl(text));
  if (noUrl !== undefined)
    throw usageError(`--resource cannot be ${JSON.stringify(noUrl)}.`, 'Write a URL: http://127.0.0.1:3000/mcp.');
  const [resources, scopes, users] = [given.texts('resource'), given.texts('scope'), given.texts('user')];
  return {
    port: portOf('port', given.text('port') ?? '0'),
    accessTokens: given.flag('opaque') ? 'opaque' : 'jwt',
    ...(resources.length > 0 && { resources }),
    ...(scopes.length > 0 && { scopes }),
    ...(users.length > 0 && { users: Object.fromEntries(users.map(userOf)) }),
  };
}

/** A name, or a name with the claims of its tokens: `ada={"roles":["admin"]}`. */
function userOf(text: string): readonly [string, Record<string, unknown>] {
  const [, name = text, claims] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  return [name, claims === undefined ? {} : objectIn(claims, `--user ${name}`)];
}
