import { Type } from 'typebox'
import { missingReasons } from '../model/missing.ts'

/** The model of a backtest, as its record and its report show it. */
export const ModelRecord = Type.Object(
  {
    mode: Type.String({ description: '`recorded`: the bots follow what the model has decided live.' }),
    service: Type.String({ description: 'Its provider.' }),
    model: Type.String(),
    question: Type.String({
      description: 'The SHA-256 of what it is asked: prompt, model, tools and chart.',
    }),
    events: Type.Integer({ description: 'The deliveries in this time.' }),
    recorded: Type.Integer({ description: 'Those that have a recorded decision.' }),
    missing: Type.Record(Type.String(), Type.Integer(), {
      description: `Why the others have none, and how many: ${Object.keys(missingReasons)
        .map((reason) => `\`${reason}\``)
        .join(', ')}.`,
    }),
  },
  { description: 'Of an AI reaction.' },
)
