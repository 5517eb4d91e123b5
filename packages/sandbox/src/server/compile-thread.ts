/** Compiles one file after the other, in a thread that may be ended at any time. */
import {
  compileFile,
  createModuleContext,
  type CompilerParts,
  type ModuleContext,
  type TailwindSheets,
} from '@vitrine/compiler';
import { transformScript } from '@vitrine/compiler/native';
import { readTailwindSheets } from '@vitrine/compiler/native/tailwind';
import { parentPort } from 'node:worker_threads';
import type { CompileJob, CompileResult } from './compile-pool.ts';

const parts: CompilerParts = {
  loadTransform: () => Promise.resolve(transformScript),
  loadTailwindSheets: () => (sheets ??= readTailwindSheets()),
};
let sheets: Promise<TailwindSheets> | undefined;

/** Of the project compiled last: its files tend to come together. */
let last: { id: string; context: ModuleContext } | undefined;

parentPort?.on('message', (job: CompileJob) => {
  // What it throws ends the thread, as it has to: nobody else waits for this promise.
  void compile(job).then((result) => parentPort?.postMessage(result));
});

async function compile(job: CompileJob): Promise<CompileResult> {
  if (last?.id !== job.project)
    last = { id: job.project, context: createModuleContext(job.facts, job.packages) };
  const { number, path, text, texts } = job;
  const { code, map, module } = await compileFile({ path, text }, last.context, texts, parts);
  return { number, code: code ?? null, map: map ?? null, module: module ?? null };
}
