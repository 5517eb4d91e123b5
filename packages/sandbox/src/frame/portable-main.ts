/** The first script of the document that becomes a project where there is no origin for it. */
import { bePortable } from './portable.ts';
import { startDocument } from './start.ts';
import { watchSteps } from './steps.ts';

watchSteps();
startDocument(bePortable);
