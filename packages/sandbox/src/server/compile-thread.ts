/** Compiles one file after the other, in a thread that may be ended at any time. */
import {
  compileModule,
  compilePage,
  createModuleContext,
  isScriptPath,
  type ModuleContext,
} from '@vitrine/compiler';
import { transformScript } from '@vitrine/compiler/native';
import { parentPort } from 'node:worker_threads';
import type { CompileJob, CompileResult } from './compile-pool.ts';

/** Of the project compiled last: its files tend to come together. */
let last: { id: string; context: ModuleContext } | undefined;

parentPort?.on('message', (job: CompileJob) => {
  const result: CompileResult = { number: job.number, ...compile(job) };
  parentPort?.postMessage(result);
});

function compile(job: CompileJob): Omit<CompileResult, 'number'> {
  if (last?.id !== job.project)
    last = { id: job.project, context: createModuleContext(job.facts, job.packages) };
  const { path, text } = job;
  const { code, map } = isScriptPath(path)
    ? compileModule({ path, text }, last.context, transformScript)
    : compilePage({ path, text }, last.context);
  return { code: code ?? null, map: map ?? null };
}
