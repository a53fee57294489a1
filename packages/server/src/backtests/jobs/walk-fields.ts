/** The fields of a walk-forward in requests and responses. */
import { type Static, Type } from 'typebox'
import type { SweepPlan } from '../../db/schema.ts'

const Days = (description: string) => Type.Integer({ minimum: 1, maximum: 9_999, description })

export const WalkBody = Type.Object(
  {
    train_days: Days('The length of a training.'),
    test_days: Days('The length of a test, and how far each window is from the one before.'),
    anchored: Type.Optional(
      Type.Boolean({ description: 'Each training begins with the first candle. Default false.' }),
    ),
  },
  {
    description:
      'Walks forward: chooses the combination with the best return of a training, trades it on the test after it, and moves on. The report is that of all tests together.',
  },
)

export const WalkRecord = Type.Object({
  train_days: Type.Integer(),
  test_days: Type.Integer(),
  anchored: Type.Boolean(),
})

const Moment = Type.String({ format: 'date-time' })

/** As `shownSteps` has them. */
export const WindowRecord = Type.Object({
  train_from: Moment,
  test_from: Moment,
  test_to: Moment,
  parameters: Type.Record(Type.String(), Type.String(), { description: 'Those that were chosen.' }),
  train_return_percent: Type.Number({ description: 'Their return in the training.' }),
  test_return_percent: Type.Number({ description: 'What the bot returned in the test.' }),
})

export function presentWalk({
  trainDays,
  testDays,
  isAnchored,
}: NonNullable<SweepPlan['walk']>): Static<typeof WalkRecord> {
  return { train_days: trainDays, test_days: testDays, anchored: isAnchored }
}
