import { checkDocument, checkScript } from '@vitrine/compiler';
import type { CheckAnswer, CheckRequest } from './script-checks.ts';

onmessage = ({ data }: MessageEvent<CheckRequest>) => {
  const { id, kind, text } = data;
  const problem = kind === 'document' ? checkDocument(text) : checkScript(text, kind);
  const answer: CheckAnswer = { id, problem };
  postMessage(answer);
};
