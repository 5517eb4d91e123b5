/** Worker thread that compiles one file at a time. It may be terminated at any time. */
import {
  compileFile,
  createModuleContext,
  readProjectConfig,
  type CompilerLoaders,
  type ModuleContext,
  type TailwindSheets,
} from '@vitrine/compiler';
import { transformScript } from '@vitrine/compiler/native';
import { readTailwindSheets } from '@vitrine/compiler/native/tailwind';
import { getExtension } from '@vitrine/project';
import { parentPort } from 'node:worker_threads';
import type {
  CompileJob,
  CompileResult,
  FromCompileThread,
  ToCompileThread,
} from './compile-worker.ts';

const parts: CompilerLoaders = {
  loadTransform: () => Promise.resolve(transformScript),
  loadTailwindSheets: () => (sheets ??= readTailwindSheets()),
};
let sheets: Promise<TailwindSheets> | undefined;

/** Context of the last project, because files of a project tend to come together. */
let last: { key: string; context: ModuleContext } | undefined;

/** Loading of each language's compiler, by file extension. */
const loaded = new Map<string, Promise<unknown>>();

parentPort?.on('message', (message: ToCompileThread) => {
  // An error terminates the thread; nothing else awaits this promise.
  void (message.type === 'load' ? load(message.extension) : answer(message.job));
});

async function answer(job: CompileJob): Promise<void> {
  await load(getExtension(job.path));
  const { user, system } = process.threadCpuUsage();
  post({ type: 'started', cpuMs: (user + system) / 1_000 });
  post({ type: 'compiled', result: await compile(job) });
}

/** Compiles an empty file, which loads the compiler of its language. */
function load(extension: string): Promise<unknown> {
  const path = `empty.${extension}`;
  const loading =
    loaded.get(extension) ??
    compileFile(
      { path, text: '' },
      createModuleContext(readProjectConfig(new Map()), { origin: '', fullExportUrls: new Set() }),
      new Map(),
      parts,
    );
  loaded.set(extension, loading);
  return loading;
}

async function compile({ contextKey, projectConfig, packages, path, text, texts }: CompileJob) {
  if (last?.key !== contextKey)
    last = { key: contextKey, context: createModuleContext(projectConfig, packages) };
  const { code, map, module } = await compileFile({ path, text }, last.context, texts, parts);
  const result: CompileResult = { code: code ?? null, map: map ?? null, module: module ?? null };
  return result;
}

function post(message: FromCompileThread): void {
  parentPort?.postMessage(message);
}
