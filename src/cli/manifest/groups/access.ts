/** Commands for permissions, sign-in and records. */
import { auditKinds } from '../../../guard/audit/record.ts';
import type { CommandSpec } from '../../io/command.ts';

export const access: readonly CommandSpec[] = [
  {
    name: 'login',
    group: 'access',
    about: 'Signs in to a server at a URL, for all later commands.',
    target: 'one',
    options: {
      device: { about: 'sign in with a code, on any device' },
      'client-id': { about: 'the client that is registered at the authorization server', value: 'ID' },
      scope: { about: 'request this scope', value: 'SCOPE', isRepeated: true },
      port: { about: 'the port of the redirect address, for a registered client', value: 'PORT' },
    },
    examples: [
      ['tenon login https://example.com/mcp', 'opens a browser; without a terminal it prints the page'],
      ['tenon login https://example.com/mcp --device', 'on a machine without a browser'],
    ],
    load: () => import('../../commands/access/login.ts'),
  },
  {
    name: 'logout',
    group: 'access',
    about: 'Revokes and deletes the credentials for a server.',
    target: 'optional',
    options: { all: { about: 'for all servers' } },
    examples: [['tenon logout https://example.com/mcp', 'later commands need to sign in again']],
    load: () => import('../../commands/access/logout.ts'),
  },
  {
    name: 'policy',
    group: 'access',
    about:
      'Runs the tests of a policy, explains a decision, or lists the past decisions that a new policy would change.',
    target: 'none',
    arguments: [
      {
        name: 'ACTION',
        about: 'test FILE, explain FILE DOES NAME [k=v…], or replay FILE FOLDER',
        choices: ['test', 'explain', 'replay'],
      },
      { name: 'FILE', about: 'the policy' },
      {
        name: 'WORDS',
        about: 'what the action needs: call NAME and arguments, or the folder of an audit log',
        isRest: true,
      },
    ],
    options: {
      as: { about: 'explain: the caller, written like "as" in the tests of a policy', value: 'JSON' },
      args: { about: 'explain: the arguments as one JSON object', value: 'JSON' },
      limit: { about: 'replay: list at most so many changes (default 1000)', value: 'N' },
    },
    examples: [
      ['tenon policy test policy.yaml', 'runs the tests in the document'],
      [`tenon policy explain policy.yaml call deploy env=prod --as '{"roles":["ops"]}'`, 'why it is allowed or denied'],
      ['tenon policy replay policy.next.yaml ./audit', 'what would change, by an audit log'],
    ],
    load: () => import('../../commands/access/policy.ts'),
  },
  {
    name: 'approvals',
    group: 'access',
    about: 'Lists calls that wait for an approval in a store, shows one, approves it or denies it.',
    target: 'none',
    arguments: [
      { name: 'ACTION', about: 'list, show, approve or deny', choices: ['list', 'show', 'approve', 'deny'] },
      { name: 'ID', about: 'the approval', isOptional: true },
    ],
    options: {
      store: { about: 'the store of the server, such as sqlite:./tenon.db (default TENON_STORE)', value: 'URL' },
      reason: { about: 'approve, deny: what the caller reads', value: 'TEXT' },
      all: { about: 'list: decided ones too, until they expire' },
    },
    examples: [
      ['tenon approvals list --store sqlite:./tenon.db', 'which calls wait'],
      ['tenon approvals approve K7M29QXF3T --store sqlite:./tenon.db', 'exactly this call may run, once'],
    ],
    load: () => import('../../commands/access/approvals.ts'),
  },
  {
    name: 'audit',
    group: 'access',
    about: 'Verifies that no byte of an audit log was changed, or searches it.',
    target: 'none',
    arguments: [
      { name: 'ACTION', about: 'verify or search', choices: ['verify', 'search'] },
      { name: 'FOLDER', about: 'the folder of the log' },
    ],
    options: {
      key: { about: 'verify: a file with the public key as JWK', value: 'FILE', isRepeated: true },
      anchor: { about: 'verify: a file with a checkpoint, or a list of them', value: 'FILE', isRepeated: true },
      kind: {
        about: 'search: records of this kind, such as call-start',
        value: 'KIND',
        isRepeated: true,
        choices: auditKinds,
      },
      who: { about: 'search: a value of who, such as a principal or an address', value: 'TEXT' },
      what: { about: 'search: a value of what, such as a tool or a URI', value: 'TEXT' },
      since: { about: 'search: the earliest time, as a date or as 30m, 12h or 7d ago', value: 'DATE' },
      until: { about: 'search: the latest time', value: 'DATE' },
      from: { about: 'search: the number of the first record', value: 'N' },
      private: { about: 'search: with the private values that are still stored' },
      limit: { about: 'search: at most so many records (default 1000)', value: 'N' },
    },
    examples: [
      ['tenon audit verify ./audit --key audit-key.json', 'hashes, links and signatures'],
      ['tenon audit search ./audit --kind call-start --what deploy --since 12h', 'who called deploy'],
    ],
    load: () => import('../../commands/access/audit.ts'),
  },
  {
    name: 'lock',
    group: 'access',
    about: 'Compares the servers of a configuration with what was approved, or approves what they have now.',
    target: 'none',
    arguments: [
      { name: 'ACTION', about: 'status or approve', choices: ['status', 'approve'] },
      { name: 'NAMES', about: 'the servers (default all of the file)', isRest: true },
    ],
    options: {
      config: { about: 'the file that names the servers (default .mcp.json)', value: 'FILE' },
      lock: { about: 'the lock (default mcp.lock)', value: 'FILE' },
      'no-resources': { about: 'leave resources out, for servers whose resources are data' },
      yes: { about: 'approve without asking', short: 'y' },
      quiet: { about: 'do not show what the servers write to standard error', short: 'q' },
    },
    examples: [
      ['tenon lock status', 'exits with 1 if a server differs, for CI'],
      ['tenon lock approve files', 'shows what files has now, and asks'],
    ],
    load: () => import('../../commands/access/lock.ts'),
  },
  {
    name: 'dev-auth',
    group: 'access',
    about:
      'Starts an authorization server for development on this machine. It has no passwords, and needs oidc-provider.',
    target: 'none',
    options: {
      port: { about: 'the port (default any that is free)', value: 'PORT' },
      resource: { about: 'issue tokens for this server only', value: 'URL', isRepeated: true },
      scope: { about: 'a scope that exists (default every one)', value: 'SCOPE', isRepeated: true },
      user: {
        about: 'a user who can sign in, with claims as name={"roles":["admin"]}',
        value: 'NAME',
        isRepeated: true,
      },
      opaque: { about: 'issue opaque access tokens instead of JWT' },
      'sign-in': {
        about: 'sign in as --user at this page of a running authorization server, without a browser; starts nothing',
        value: 'PAGE',
      },
    },
    examples: [
      ['tenon dev-auth --port 9000 --resource http://127.0.0.1:3000/mcp', 'for one server'],
      ['tenon dev-auth --sign-in PAGE --user ada', 'at the page that tenon login shows'],
    ],
    load: () => import('../../commands/access/dev-auth.ts'),
  },
];
