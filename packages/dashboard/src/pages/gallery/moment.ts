/** The moment of all times in the gallery. Screenshots are made with the clock a little later, always the same. */
export const moment = Date.UTC(2026, 0, 15, 12, 0, 0)
