-- What is held for an agent says for whom, what the agent wants to pay for its
-- agreement at most, and until when it waits. granted: the settings let it be sent
-- without the person. Before, asked had two of these.
ALTER TABLE held ADD COLUMN entry       TEXT NOT NULL DEFAULT '';
ALTER TABLE held ADD COLUMN max_credits INTEGER NOT NULL DEFAULT 0;
ALTER TABLE held ADD COLUMN granted     INTEGER NOT NULL DEFAULT 0;
ALTER TABLE held ADD COLUMN expires_at  INTEGER NOT NULL DEFAULT 0;
UPDATE held SET entry = asked.entry, max_credits = asked.max_credits, granted = asked.granted, expires_at = asked.expires_at
  FROM asked WHERE asked.id = held.id;
ALTER TABLE asked DROP COLUMN max_credits;
ALTER TABLE asked DROP COLUMN granted;
