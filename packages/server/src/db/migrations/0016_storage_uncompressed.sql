-- Each run that sets its storage writes the whole value again. Compressing 4 KB took more CPU time than everything else
-- that the end of a run writes.
ALTER TABLE "strategy_state" ALTER COLUMN "storage" SET STORAGE EXTERNAL;
