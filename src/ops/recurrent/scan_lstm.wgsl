      let kept = sigmoid(gate1 + given1) * cell[u];
      let new_cell = kept + sigmoid(gate0 + given0) * bounded_tanh(gate2 + given2);
      let new_hidden = sigmoid(gate3 + given3) * bounded_tanh(new_cell);
      cell[u] = new_cell;
