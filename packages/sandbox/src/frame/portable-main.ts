/** First script of documents of the srcdoc transport. */
import { bePortable } from './portable.ts';
import { startDocument } from './start.ts';
import { watchSteps } from './steps.ts';

watchSteps();
startDocument(bePortable);
