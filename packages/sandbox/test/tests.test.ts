import { describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';
import { interfaceProject, wantedOfInterface } from './tests/interface.ts';
import { drive, outline } from './tests/drive.ts';

const at = setUpChromium();

for (const isPortable of [false, true]) {
  describe(isPortable ? 'tests on the portable path' : 'tests on the served path', () => {
    const tests = drive(() => at.workspace, { isPortable });

    it('have the interface of vitest', async () => {
      await tests.start(interfaceProject);
      const report = await tests.finished();
      expect(outline(report)).toEqual(wantedOfInterface);
    });
  });
}
