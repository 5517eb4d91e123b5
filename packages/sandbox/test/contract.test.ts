import { setUpChromium } from './rig/chromium.ts';
import { testContract } from './rig/contract.ts';

const at = setUpChromium({ sharesPage: true });

testContract({
  get workspace() {
    return at.workspace;
  },
  type: (text) => at.page.keyboard.type(text),
  isWebKit: false,
});
