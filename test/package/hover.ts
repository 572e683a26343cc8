/** The text that an editor shows for a name, by the language service of a compiler, or by its language server. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type ts from 'typescript';

/** Where the pointer is: the file, and how many characters are before it. */
export interface Pointer {
  readonly folder: string;
  readonly file: string;
  readonly at: number;
}

/** Documentation and tags, for a compiler that runs in this process. */
export function hoverInProcess(compiler: typeof ts, { folder, file, at }: Pointer): string {
  const options: ts.CompilerOptions = {
    strict: true,
    target: compiler.ScriptTarget.ES2022,
    module: compiler.ModuleKind.NodeNext,
    moduleResolution: compiler.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
    types: ['node'],
  };
  const service = compiler.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot(name) {
      const text = compiler.sys.readFile(name);
      return text === undefined ? undefined : compiler.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: compiler.getDefaultLibFilePath,
    fileExists: compiler.sys.fileExists,
    readFile: compiler.sys.readFile,
    directoryExists: compiler.sys.directoryExists,
    getDirectories: compiler.sys.getDirectories,
    ...(compiler.sys.realpath && { realpath: compiler.sys.realpath }),
  });
  const { documentation = [], tags = [] } = service.getQuickInfoAtPosition(file, at) ?? {};
  const shown = tags.map(({ name, text }) => `@${name} — ${textOf(text)}`);
  service.dispose();
  return [textOf(documentation), ...shown].join('\n');
}

const textOf = (parts: readonly ts.SymbolDisplayPart[] = []): string => parts.map(({ text }) => text).join('');

/** Answers of a language server that are looked at here. */
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: { readonly contents?: { readonly value: string } } | null;
}

/** The same by the language server that `command` starts. */
export function hoverByServer(command: readonly string[], { folder, file, at }: Pointer): Promise<string> {
  const text = readFileSync(file, 'utf8');
  const before = text.slice(0, at).split('\n');
  const position = { line: before.length - 1, character: before.at(-1)?.length };
  const uri = pathToFileURL(file).href;
  const server = spawn(process.execPath, command, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`The language server exited with ${code}.`)));
    readMessages(server.stdout, ({ id, method, result }) => {
      if (method !== undefined && id !== undefined) return send({ id, result: null });
      if (id === 1) {
        send({ method: 'initialized', params: {} });
        send({
          method: 'textDocument/didOpen',
          params: { textDocument: { uri, languageId: 'typescript', version: 1, text } },
        });
        return send({ id: 2, method: 'textDocument/hover', params: { textDocument: { uri }, position } });
      }
      if (id !== 2) return undefined;
      resolve(result?.contents?.value ?? '');
      server.kill();
    });
    send({
      id: 1,
      method: 'initialize',
      params: { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities: {} },
    });
  });
}

/** Messages of the language server protocol: a header with the length, then JSON. */
function readMessages(stream: NodeJS.ReadableStream, onMessage: (message: Message) => void): void {
  let received = Buffer.alloc(0);
  stream.on('data', (part: Buffer) => {
    received = Buffer.concat([received, part]);
    for (let end = received.indexOf('\r\n\r\n'); end !== -1; end = received.indexOf('\r\n\r\n')) {
      const length = Number(/Content-Length: (\d+)/i.exec(received.toString('latin1', 0, end))?.[1]);
      if (received.length < end + 4 + length) return;
      const message = JSON.parse(received.toString('utf8', end + 4, end + 4 + length)) as Message;
      received = received.subarray(end + 4 + length);
      onMessage(message);
    }
  });
}
