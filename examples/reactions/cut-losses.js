// Cuts losses by what the bots really hold, not by what the code has asked for.
//
// Attach this reaction to a data webhook that receives a payload every minute, turn on "send signal", and give it the
// bot webhook that your other strategies send to. It ignores the payload.
//
// The rule. If a bot has lost more than a twentieth of what it paid for a position: EXIT. A bot whose EXIT is still in
// progress gets no second one, and neither does a bot without a current price.

const MOST_LOST = 0.05

const inProgress = ['QUEUED', 'WORKING', 'CLOSING', 'WAITING']

const positions = await $.Strategy.positions()
const losing = positions.filter(({ size, entryPrice, unrealised, signal }) => {
  const isLosing = entryPrice !== null && unrealised !== null && unrealised <= -MOST_LOST * size * entryPrice
  const isLeaving = signal !== null && signal.action === $.Action.EXIT && inProgress.includes(signal.status)
  return isLosing && !isLeaving
})
for (const { bot, symbol, unrealised } of losing) $.log(bot.name, 'has lost', unrealised, 'with', symbol)
// EXIT after EXIT is a violation. If the bots still hold something after the last one, they are working on it.
if (losing.length > 0 && $.Strategy.lastTrigger.action !== $.Action.EXIT) {
  await $.Strategy.action($.Action.EXIT, { id: 'loss' })
}
