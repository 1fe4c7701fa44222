import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isRoot } from '../support/other-user.ts';
import { FAULTS, NOWHERE, OF_OTHER_MACHINES, type Case } from './doctor-faults.ts';
import { openDoctorScene, type DoctorScene } from './doctor-scene.ts';

let doctor: DoctorScene;
beforeAll(async () => {
  doctor = await openDoctorScene();
}, 120_000);
afterAll(() => doctor.scene.close());

it('says of a set-up with nothing wrong in it that all is well', async () => {
  const { code, ok, findings } = await doctor.examine();
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect([code, ok]).toEqual([0, true]);
  expect(await doctor.read()).toMatch(/\nAll is well\.\n$/);
}, 60_000);

const find = async ({ check, says, cure, plant }: Case): Promise<void> => {
  const { settings, machine, undo } = await plant(doctor);
  try {
    const { code, findings } = await doctor.examine(settings, machine);
    const found = findings.find((one) => one.check === check && says.test(one.text));
    expect({ found, findings }).toEqual({
      found: expect.objectContaining({ cure: expect.stringMatching(cure) }),
      findings,
    });
    expect(code).toBe(findings.some(({ state }) => state === 'fault') ? 1 : 0);
  } finally {
    await undo?.();
  }
};

describe('finds, with its cure,', () => {
  it.each(FAULTS)('$fault', find, 60_000);

  const ofRoot = isRoot ? it : it.skip;
  ofRoot.each(OF_OTHER_MACHINES)('$fault', find, 60_000);
});

it('shows no secret, whatever is wrong', async () => {
  const { WEBHOOK_SECRET = '', OPENAI_API_KEY = '' } = doctor.scene.stage.environment;
  const said = JSON.stringify(await doctor.examine({ GHE_HOST: NOWHERE }));
  expect(said).not.toContain(WEBHOOK_SECRET);
  expect(said).not.toContain(OPENAI_API_KEY);
}, 60_000);
