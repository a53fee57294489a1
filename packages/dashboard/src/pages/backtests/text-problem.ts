/** What is wrong in a text of the form of a backtest, as a sentence. */
export class TextProblem extends Error {}
