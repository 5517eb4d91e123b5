import * as oxc from 'oxc-transform';
import { createTransform, type TransformScript } from './script/transform-script.ts';

/** The native build of oxc, for the server. Blocks its thread: call it in a worker. */
export const transformScript: TransformScript = createTransform(oxc);
