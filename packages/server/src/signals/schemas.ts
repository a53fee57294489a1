import { Type } from 'typebox'

export const SignalAction = Type.Union([Type.Literal('LONG'), Type.Literal('SHORT'), Type.Literal('EXIT')])

export const SignalFlag = Type.Union([Type.Literal('TEST'), Type.Literal('REVERSE')])

/** The options of an action. An option that was not given is absent. */
export const SignalOptions = Type.Object({
  id: Type.Optional(Type.String()),
  size: Type.Optional(
    Type.Number({
      description: 'In quote currency to open, in base currency to close; from 1e-18 to 1e18.',
    }),
  ),
  dilution: Type.Optional(Type.Boolean()),
  forceSize: Type.Optional(Type.Boolean()),
  slug: Type.Optional(Type.String({ description: 'Names a prediction market.' })),
  outcome: Type.Optional(Type.String()),
})
