/** First script of documents of the srcdoc transport. */
import { startSrcdoc } from './srcdoc/srcdoc.ts';
import { startDocument } from './start.ts';
import { limitLoops } from './loop-limit.ts';

limitLoops();
startDocument(startSrcdoc);
