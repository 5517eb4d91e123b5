/** Process that compiles one file at a time. It may end at any time. */
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
import { answerRequests, type RequestTools } from '@vitrine/processes/child';
import { getExtension } from '@vitrine/project';
import type {
  CompileJob,
  CompileNotice,
  CompileResult,
  FileContext,
  FileJob,
} from './compile-job.ts';

const parts: CompilerLoaders = {
  loadTransform: () => Promise.resolve(transformScript),
  loadTailwindSheets: () => (sheets ??= readTailwindSheets()),
};
let sheets: Promise<TailwindSheets> | undefined;

/** Context of the last project, because files of a project tend to come together. */
let last: { key: string; context: ModuleContext } | undefined;

/** Loading of each compiler, by file extension and what else chooses it. */
const loaded = new Map<string, Promise<unknown>>();
/** A project could name any number of versions that have no compiler. */
const maxLoaded = 100;

/** The context of files before a job came. */
const initialContext = createModuleContext(readProjectConfig(new Map()), {
  origin: '',
  fullExportUrls: new Set(),
});

answerRequests(
  // Both are sent by `compile-pool.ts`.
  (job, tools) => runJob(job as CompileJob, tools),
  (notice) => receive(notice as CompileNotice),
);

/** Receives the context that a file has asked for. */
let receiveContext = (_context: FileContext): void => {};

function receive(notice: CompileNotice): void {
  if (notice.type === 'load') void load(notice.extension, initialContext);
  else receiveContext(notice.context);
}

async function runJob(job: CompileJob, tools: RequestTools): Promise<unknown> {
  if (job.type === 'file') return compileJob(job, tools);
  tools.start();
  return readProjectConfig(job.texts);
}

/** The time for loading a compiler isn't the file's. */
async function compileJob(job: FileJob, tools: RequestTools): Promise<CompileResult> {
  const { context, contextMs } = await findContext(job, tools);
  await load(getExtension(job.path), context);
  // Others that are being loaded would use the file's time.
  await Promise.allSettled(loaded.values());
  tools.start(contextMs);
  return compile(job, context);
}

function getCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Compiles a minimal file, which loads the compiler of its language. */
function load(extension: string, context: ModuleContext): Promise<unknown> {
  const { versions, settings } = context;
  const key = JSON.stringify([extension, versions, settings.jsxImportSource]);
  const mayHaveJsx = ['js', 'jsx', 'tsx'].includes(extension);
  const file = { path: `empty.${extension}`, text: mayHaveJsx ? '<p/>' : '' };
  const loading = loaded.get(key) ?? compileFile(file, context, new Map(), parts);
  if (loaded.size >= maxLoaded) loaded.clear();
  loaded.set(key, loading);
  return loading;
}

/** Finds the context of a file, and the CPU time that this took. */
async function findContext(
  { contextKey }: FileJob,
  tools: RequestTools,
): Promise<{ context: ModuleContext; contextMs: number }> {
  if (last?.key === contextKey) return { context: last.context, contextMs: 0 };
  const received = new Promise<FileContext>((resolve) => (receiveContext = resolve));
  tools.notify('context');
  const { projectConfig, packages } = await received;
  // Not before: meanwhile, compilers may have been loaded.
  const start = getCpuMs();
  const context = createModuleContext(projectConfig, packages);
  last = { key: contextKey, context };
  return { context, contextMs: getCpuMs() - start };
}

async function compile({ path, text, texts }: FileJob, context: ModuleContext) {
  const { code, map, module } = await compileFile({ path, text }, context, texts, parts);
  const result: CompileResult = { code: code ?? null, map: map ?? null, module: module ?? null };
  return result;
}
